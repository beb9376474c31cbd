// Types of volume sources: HostPathVolumeSource, GCEPersistentDiskVolumeSource, AWSElasticBlockStoreVolumeSource and others.

import { bool, field, int32, listOf, mapOf, string, struct } from '../../../../schema/types.ts';
import { localObjectReference } from '../references.ts';
import {
  azureFileFields,
  cephFSFields,
  cinderFields,
  flexFields,
  glusterfsFields,
  iscsiFields,
  rbdFields,
  scaleIOFields,
  storageOSFields,
} from './volume-source-fields.ts';

const home = 'core/v1';

export const hostPathVolumeSource = struct(
  home,
  'HostPathVolumeSource',
  'A path in the file system of the node.',
  () => ({
    path: field(1, string, { always: true, required: true, about: 'Path on the node; symbolic links are followed.' }),
    type: field(2, string, {
      goType: 'HostPathType',
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
  () => iscsiFields(localObjectReference),
);

export const glusterfsVolumeSource = struct(
  home,
  'GlusterfsVolumeSource',
  'A GlusterFS volume used by a pod. No longer supported.',
  () => glusterfsFields(),
);

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
  () => flexFields(localObjectReference),
);

export const cinderVolumeSource = struct(
  home,
  'CinderVolumeSource',
  'An OpenStack Cinder disk used by a pod. Legacy; prefer the CSI driver.',
  () => cinderFields(localObjectReference),
);

export const cephFSVolumeSource = struct(
  home,
  'CephFSVolumeSource',
  'A CephFS file system used by a pod. No longer supported.',
  () => cephFSFields(localObjectReference),
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
  () => azureFileFields(),
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
      goType: 'AzureDataDiskCachingMode',
      pointer: true,
      default: 'ReadWrite',
      enum: ['None', 'ReadOnly', 'ReadWrite'],
      about: 'Host caching of the disk: None, ReadOnly or ReadWrite (default).',
    }),
    fsType: field(4, string, { pointer: true, default: 'ext4', about: 'File system to mount; ext4 by default.' }),
    readOnly: field(5, bool, { pointer: true, default: false, about: 'Mount without write access; false by default.' }),
    kind: field(6, string, {
      goType: 'AzureDataDiskKind',
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
  () => scaleIOFields(localObjectReference),
);

export const storageOSVolumeSource = struct(
  home,
  'StorageOSVolumeSource',
  'A StorageOS volume used by a pod. No longer supported.',
  () => storageOSFields(localObjectReference),
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
