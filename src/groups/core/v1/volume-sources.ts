// Types of volume sources: HostPathVolumeSource, GCEPersistentDiskVolumeSource, AWSElasticBlockStoreVolumeSource and others.

import { bool, field, int32, listOf, mapOf, type SchemaType, string, struct } from '../../../schema/types.ts';
import { localObjectReference } from './references.ts';

const home = 'core/v1';

export const hostPathVolumeSource = struct(
  home,
  'HostPathVolumeSource',
  'A path in the file system of the node.',
  () => ({
    path: field(1, string, { always: true, required: true, about: 'Path on the node; symbolic links are followed.' }),
    type: field(2, string, {
      pointer: true,
      enum: ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'],
      about:
        'What must exist at the path, such as Directory, DirectoryOrCreate, File or Socket; empty skips the check.',
    }),
  }),
);

export const gcePersistentDiskVolumeSource = struct(
  home,
  'GCEPersistentDiskVolumeSource',
  'A Google Compute Engine disk. Legacy; prefer the CSI driver.',
  () => ({
    pdName: field(1, string, { always: true, required: true, about: 'Name of the disk in Google Cloud.' }),
    fsType: field(2, string, { about: 'File system to mount; ext4 by default.' }),
    partition: field(3, int32, { about: 'Number of the partition to mount; 0 means the whole disk.' }),
    readOnly: field(4, bool, { about: 'Attach without write access; false by default.' }),
  }),
);

export const awsElasticBlockStoreVolumeSource = struct(
  home,
  'AWSElasticBlockStoreVolumeSource',
  'An AWS EBS disk. Legacy; prefer the CSI driver.',
  () => ({
    volumeID: field(1, string, { always: true, required: true, about: 'Id of the EBS volume in AWS.' }),
    fsType: field(2, string, { about: 'File system to mount; ext4 by default.' }),
    partition: field(3, int32, { about: 'Number of the partition to mount; 0 means the whole disk.' }),
    readOnly: field(4, bool, { about: 'Mount without write access; false by default.' }),
  }),
);

export const nfsVolumeSource = struct(home, 'NFSVolumeSource', 'A directory shared by an NFS server.', () => ({
  server: field(1, string, { always: true, required: true, about: 'Host name or IP address of the NFS server.' }),
  path: field(2, string, { always: true, required: true, about: 'Absolute path of the share on the server.' }),
  readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
}));

export const iscsiVolumeSource = struct(
  home,
  'ISCSIVolumeSource',
  'A disk reached over iSCSI, as used directly by a pod.',
  () => ({
    targetPortal: field(1, string, {
      always: true,
      required: true,
      about: 'Address of the target, an IP or ip:port; port 3260 by default.',
    }),
    iqn: field(2, string, { always: true, required: true, about: 'Qualified name of the iSCSI target.' }),
    lun: field(3, int32, { always: true, required: true, about: 'Number of the logical unit on the target.' }),
    iscsiInterface: field(4, string, {
      default: 'default',
      about: 'Name of the initiator interface; "default", meaning TCP, if left out.',
    }),
    fsType: field(5, string, { about: 'File system to mount; ext4 by default.' }),
    readOnly: field(6, bool, { about: 'Attach without write access; false by default.' }),
    portals: field(7, listOf(string), {
      listType: 'atomic',
      about: 'Further target addresses for multipath, as an IP or ip:port.',
    }),
    chapAuthDiscovery: field(8, bool, { about: 'Use CHAP authentication during target discovery.' }),
    chapAuthSession: field(11, bool, { about: 'Use CHAP authentication for the session.' }),
    secretRef: field(10, localObjectReference, {
      pointer: true,
      about: 'Secret with the CHAP credentials, in the namespace of the pod.',
    }),
    initiatorName: field(12, string, {
      pointer: true,
      about: 'Own iSCSI initiator name to use in place of that of the node.',
    }),
  }),
);

export const glusterfsVolumeSource = struct(
  home,
  'GlusterfsVolumeSource',
  'A GlusterFS volume used by a pod. No longer supported.',
  () => ({
    endpoints: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the Endpoints object listing the Gluster servers.',
    }),
    path: field(2, string, { always: true, required: true, about: 'Name of the Gluster volume.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
  }),
);

/** An RBD image; pods and persistent volumes name its Secret in different ways. */
export function rbdFields<S extends SchemaType>(secret: S) {
  return {
    monitors: field(1, listOf(string), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'Addresses of the Ceph monitors.',
    }),
    image: field(2, string, { always: true, required: true, about: 'Name of the RBD image.' }),
    fsType: field(3, string, { about: 'File system to mount; ext4 by default.' }),
    pool: field(4, string, { default: 'rbd', about: 'Ceph pool that holds the image; rbd by default.' }),
    user: field(5, string, { default: 'admin', about: 'Ceph user to connect as; admin by default.' }),
    keyring: field(6, string, {
      default: '/etc/ceph/keyring',
      about: 'Key ring file on the node; /etc/ceph/keyring by default.',
    }),
    secretRef: field(7, secret, {
      pointer: true,
      about: 'Secret with the Ceph key; takes precedence over keyring.',
    }),
    readOnly: field(8, bool, { about: 'Attach without write access; false by default.' }),
  };
}

export const rbdVolumeSource = struct(
  home,
  'RBDVolumeSource',
  'A Ceph RBD image used by a pod. No longer supported.',
  () => rbdFields(localObjectReference),
);

export const flexVolumeSource = struct(
  home,
  'FlexVolumeSource',
  'A volume handled by a FlexVolume driver on the node. Legacy; prefer CSI.',
  () => ({
    driver: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the FlexVolume driver, such as vendor/driver.',
    }),
    fsType: field(2, string, { about: 'File system to mount; the driver decides if left out.' }),
    secretRef: field(3, localObjectReference, {
      pointer: true,
      about: 'Secret passed to the driver, in the namespace of the pod.',
    }),
    readOnly: field(4, bool, { about: 'Mount without write access; false by default.' }),
    options: field(5, mapOf(string), { about: 'Further settings passed to the driver.' }),
  }),
);

export const cinderVolumeSource = struct(
  home,
  'CinderVolumeSource',
  'An OpenStack Cinder disk used by a pod. Legacy; prefer the CSI driver.',
  () => ({
    volumeID: field(1, string, { always: true, required: true, about: 'Id of the volume in Cinder.' }),
    fsType: field(2, string, { about: 'File system to mount; ext4 by default.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
    secretRef: field(4, localObjectReference, {
      pointer: true,
      about: 'Secret with OpenStack connection parameters, in the namespace of the pod.',
    }),
  }),
);

export const cephFSVolumeSource = struct(
  home,
  'CephFSVolumeSource',
  'A CephFS file system used by a pod. No longer supported.',
  () => ({
    monitors: field(1, listOf(string), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'Addresses of the Ceph monitors.',
    }),
    path: field(2, string, { about: 'Directory in the file system to mount; "/" by default.' }),
    user: field(3, string, { about: 'Ceph user to connect as; admin by default.' }),
    secretFile: field(4, string, { about: 'Key ring file on the node; /etc/ceph/user.secret by default.' }),
    secretRef: field(5, localObjectReference, {
      pointer: true,
      about: 'Secret with the Ceph key; takes precedence over secretFile.',
    }),
    readOnly: field(6, bool, { about: 'Mount without write access; false by default.' }),
  }),
);

export const flockerVolumeSource = struct(
  home,
  'FlockerVolumeSource',
  'A Flocker dataset; name it one way only. No longer supported.',
  () => ({
    datasetName: field(1, string, { about: 'Name of the dataset, stored in its metadata; prefer the UUID.' }),
    datasetUUID: field(2, string, { about: 'UUID of the dataset to mount.' }),
  }),
);

export const fcVolumeSource = struct(home, 'FCVolumeSource', 'A disk reached over Fibre Channel.', () => ({
  targetWWNs: field(1, listOf(string), {
    listType: 'atomic',
    about: 'World wide names of the target; used together with lun.',
  }),
  lun: field(2, int32, { pointer: true, about: 'Logical unit number on the target; used together with targetWWNs.' }),
  fsType: field(3, string, { about: 'File system to mount; ext4 by default.' }),
  readOnly: field(4, bool, { about: 'Attach without write access; false by default.' }),
  wwids: field(5, listOf(string), {
    listType: 'atomic',
    about: 'World wide identifiers of the volume; use these or targetWWNs with lun, not both.',
  }),
}));

export const azureFileVolumeSource = struct(
  home,
  'AzureFileVolumeSource',
  'An Azure File share used by a pod. Legacy; prefer the CSI driver.',
  () => ({
    secretName: field(1, string, {
      always: true,
      required: true,
      about: 'Secret with the storage account name and key.',
    }),
    shareName: field(2, string, { always: true, required: true, about: 'Name of the Azure file share.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
  }),
);

export const vsphereVirtualDiskVolumeSource = struct(
  home,
  'VsphereVirtualDiskVolumeSource',
  'A vSphere virtual disk. Legacy; prefer the CSI driver.',
  () => ({
    volumePath: field(1, string, { always: true, required: true, about: 'Path of the vmdk file in its datastore.' }),
    fsType: field(2, string, { about: 'File system to mount; ext4 by default.' }),
    storagePolicyName: field(3, string, { about: 'Name of the storage policy the disk was made with.' }),
    storagePolicyID: field(4, string, { about: 'Id of the storage policy that storagePolicyName refers to.' }),
  }),
);

export const quobyteVolumeSource = struct(
  home,
  'QuobyteVolumeSource',
  'A Quobyte volume. Legacy type, no longer supported.',
  () => ({
    registry: field(1, string, {
      always: true,
      required: true,
      about: 'Quobyte registry addresses as host:port, separated by commas.',
    }),
    volume: field(2, string, { always: true, required: true, about: 'Name of an existing Quobyte volume.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
    user: field(4, string, { about: 'User that the volume is accessed as; the service account user by default.' }),
    group: field(5, string, { about: 'Group that the volume is accessed as; none by default.' }),
    tenant: field(6, string, { about: 'Quobyte tenant that owns the volume; set by the provisioner.' }),
  }),
);

export const azureDiskVolumeSource = struct(
  home,
  'AzureDiskVolumeSource',
  'An Azure data disk. Legacy; prefer the CSI driver.',
  () => ({
    diskName: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the disk in blob storage or among managed disks.',
    }),
    diskURI: field(2, string, { always: true, required: true, about: 'Full URI of the disk in Azure.' }),
    cachingMode: field(3, string, {
      pointer: true,
      default: 'ReadWrite',
      enum: ['None', 'ReadOnly', 'ReadWrite'],
      about: 'Host caching of the disk: None, ReadOnly or ReadWrite (default).',
    }),
    fsType: field(4, string, { pointer: true, default: 'ext4', about: 'File system to mount; ext4 by default.' }),
    readOnly: field(5, bool, { pointer: true, default: false, about: 'Mount without write access; false by default.' }),
    kind: field(6, string, {
      pointer: true,
      default: 'Shared',
      enum: ['Dedicated', 'Managed', 'Shared'],
      about: 'Shared (default) or Dedicated for blob disks, Managed for managed disks.',
    }),
  }),
);

export const photonPersistentDiskVolumeSource = struct(
  home,
  'PhotonPersistentDiskVolumeSource',
  'A Photon Controller disk. Legacy type, no longer supported.',
  () => ({
    pdID: field(1, string, { always: true, required: true, about: 'Id of the disk in Photon Controller.' }),
    fsType: field(2, string, { about: 'File system to mount; ext4 by default.' }),
  }),
);

export const portworxVolumeSource = struct(
  home,
  'PortworxVolumeSource',
  'A Portworx volume. Legacy; prefer the CSI driver.',
  () => ({
    volumeID: field(1, string, { always: true, required: true, about: 'Id of the volume in Portworx.' }),
    fsType: field(2, string, { about: 'File system to mount, ext4 or xfs; ext4 by default.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
  }),
);

export const scaleIOVolumeSource = struct(
  home,
  'ScaleIOVolumeSource',
  'A ScaleIO volume used by a pod. No longer supported.',
  () => ({
    gateway: field(1, string, { always: true, required: true, about: 'Host address of the ScaleIO API gateway.' }),
    system: field(2, string, { always: true, required: true, about: 'Name of the storage system in ScaleIO.' }),
    secretRef: field(3, localObjectReference, {
      pointer: true,
      always: true,
      required: true,
      about: 'Secret with the ScaleIO user and password.',
    }),
    sslEnabled: field(4, bool, { about: 'Whether to talk to the gateway over TLS; false by default.' }),
    protectionDomain: field(5, string, { about: 'ScaleIO protection domain that holds the storage.' }),
    storagePool: field(6, string, { about: 'Storage pool within the protection domain.' }),
    storageMode: field(7, string, {
      default: 'ThinProvisioned',
      about: 'ThickProvisioned or ThinProvisioned; thin by default.',
    }),
    volumeName: field(8, string, { about: 'Name of an existing volume in ScaleIO.' }),
    fsType: field(9, string, { default: 'xfs', about: 'File system to mount; xfs by default.' }),
    readOnly: field(10, bool, { about: 'Mount without write access; false by default.' }),
  }),
);

export const storageOSVolumeSource = struct(
  home,
  'StorageOSVolumeSource',
  'A StorageOS volume used by a pod. No longer supported.',
  () => ({
    volumeName: field(1, string, { about: 'Name of the volume, unique in its StorageOS namespace.' }),
    volumeNamespace: field(2, string, { about: 'StorageOS namespace of the volume; the pod namespace if left out.' }),
    fsType: field(3, string, { about: 'File system to mount; ext4 by default.' }),
    readOnly: field(4, bool, { about: 'Mount without write access; false by default.' }),
    secretRef: field(5, localObjectReference, {
      pointer: true,
      about: 'Secret with StorageOS API credentials, in the namespace of the pod.',
    }),
  }),
);

export const csiVolumeSource = struct(
  home,
  'CSIVolumeSource',
  'Short-lived storage that a CSI driver provides inline for one pod.',
  () => ({
    driver: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the CSI driver; it must support ephemeral volumes.',
    }),
    readOnly: field(2, bool, { pointer: true, about: 'Mount without write access; false by default.' }),
    fsType: field(3, string, {
      pointer: true,
      about: 'File system to mount, such as ext4; the driver decides if left out.',
    }),
    volumeAttributes: field(4, mapOf(string), { about: 'Settings passed to the driver; see its documentation.' }),
    nodePublishSecretRef: field(5, localObjectReference, {
      pointer: true,
      about: 'Secret with credentials for the driver, in the namespace of the pod.',
    }),
  }),
);

export const localVolumeSource = struct(
  home,
  'LocalVolumeSource',
  'A disk, partition or directory attached to one node.',
  () => ({
    path: field(1, string, { always: true, required: true, about: 'Path on the node, a directory or a block device.' }),
    fsType: field(2, string, {
      pointer: true,
      about: 'File system for a block device; picked automatically if left out.',
    }),
  }),
);
