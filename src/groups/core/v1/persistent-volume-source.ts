// Types of persistent volume source: PersistentVolumeSource, GlusterfsPersistentVolumeSource, RBDPersistentVolumeSource and others.

import { bool, field, int32, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { objectReference, secretReference } from './references.ts';
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  fcVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  hostPathVolumeSource,
  localVolumeSource,
  nfsVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  rbdFields,
  vsphereVirtualDiskVolumeSource,
} from './volume-sources.ts';

const home = 'core/v1';

const glusterfsPersistentVolumeSource = struct(
  home,
  'GlusterfsPersistentVolumeSource',
  'A GlusterFS volume behind a persistent volume. No longer supported.',
  () => ({
    endpoints: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the Endpoints object listing the Gluster servers.',
    }),
    path: field(2, string, { always: true, required: true, about: 'Name of the Gluster volume.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
    endpointsNamespace: field(4, string, {
      pointer: true,
      about: 'Namespace of the Endpoints object; that of the claim if left out.',
    }),
  }),
);

const rbdPersistentVolumeSource = struct(
  home,
  'RBDPersistentVolumeSource',
  'A Ceph RBD image behind a persistent volume. No longer supported.',
  () => rbdFields(secretReference),
);

const iscsiPersistentVolumeSource = struct(
  home,
  'ISCSIPersistentVolumeSource',
  'A disk reached over iSCSI, behind a persistent volume.',
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
    secretRef: field(10, secretReference, {
      pointer: true,
      about: 'Secret with the CHAP credentials for target and initiator.',
    }),
    initiatorName: field(12, string, {
      pointer: true,
      about: 'Own iSCSI initiator name to use in place of that of the node.',
    }),
  }),
);

const cinderPersistentVolumeSource = struct(
  home,
  'CinderPersistentVolumeSource',
  'An OpenStack Cinder disk behind a persistent volume. Legacy; prefer the CSI driver.',
  () => ({
    volumeID: field(1, string, { always: true, required: true, about: 'Id of the volume in Cinder.' }),
    fsType: field(2, string, { about: 'File system to mount; ext4 by default.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
    secretRef: field(4, secretReference, { pointer: true, about: 'Secret with OpenStack connection parameters.' }),
  }),
);

const cephFSPersistentVolumeSource = struct(
  home,
  'CephFSPersistentVolumeSource',
  'A CephFS file system behind a persistent volume. No longer supported.',
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
    secretRef: field(5, secretReference, {
      pointer: true,
      about: 'Secret with the Ceph key; takes precedence over secretFile.',
    }),
    readOnly: field(6, bool, { about: 'Mount without write access; false by default.' }),
  }),
);

const flexPersistentVolumeSource = struct(
  home,
  'FlexPersistentVolumeSource',
  'A persistent volume handled by a FlexVolume driver. Legacy; prefer CSI.',
  () => ({
    driver: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the FlexVolume driver, such as vendor/driver.',
    }),
    fsType: field(2, string, { about: 'File system to mount; the driver decides if left out.' }),
    secretRef: field(3, secretReference, { pointer: true, about: 'Secret whose content is passed to the driver.' }),
    readOnly: field(4, bool, { about: 'Mount without write access; false by default.' }),
    options: field(5, mapOf(string), { about: 'Further settings passed to the driver.' }),
  }),
);

const azureFilePersistentVolumeSource = struct(
  home,
  'AzureFilePersistentVolumeSource',
  'An Azure File share behind a persistent volume. Legacy; prefer the CSI driver.',
  () => ({
    secretName: field(1, string, {
      always: true,
      required: true,
      about: 'Secret with the storage account name and key.',
    }),
    shareName: field(2, string, { always: true, required: true, about: 'Name of the Azure file share.' }),
    readOnly: field(3, bool, { about: 'Mount without write access; false by default.' }),
    secretNamespace: field(4, string, {
      pointer: true,
      always: true,
      about: 'Namespace of the Secret; that of the claim or pod if left out.',
    }),
  }),
);

const scaleIOPersistentVolumeSource = struct(
  home,
  'ScaleIOPersistentVolumeSource',
  'A ScaleIO volume behind a persistent volume. No longer supported.',
  () => ({
    gateway: field(1, string, { always: true, required: true, about: 'Host address of the ScaleIO API gateway.' }),
    system: field(2, string, { always: true, required: true, about: 'Name of the storage system in ScaleIO.' }),
    secretRef: field(3, secretReference, {
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

const storageOSPersistentVolumeSource = struct(
  home,
  'StorageOSPersistentVolumeSource',
  'A StorageOS volume behind a persistent volume. No longer supported.',
  () => ({
    volumeName: field(1, string, { about: 'Name of the volume, unique in its StorageOS namespace.' }),
    volumeNamespace: field(2, string, { about: 'StorageOS namespace of the volume; the pod namespace if left out.' }),
    fsType: field(3, string, { about: 'File system to mount; ext4 by default.' }),
    readOnly: field(4, bool, { about: 'Mount without write access; false by default.' }),
    secretRef: field(5, objectReference, { pointer: true, about: 'Secret with StorageOS API credentials.' }),
  }),
);

const csiPersistentVolumeSource = struct(home, 'CSIPersistentVolumeSource', 'Storage handled by a CSI driver.', () => ({
  driver: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the CSI driver, such as ebs.csi.aws.com.',
  }),
  volumeHandle: field(2, string, {
    always: true,
    required: true,
    about: 'Id of the volume as the driver knows it; cannot be changed.',
  }),
  readOnly: field(3, bool, { about: 'Attach without write access; false by default.' }),
  fsType: field(4, string, { about: 'File system to mount, such as ext4; the driver decides if left out.' }),
  volumeAttributes: field(5, mapOf(string), { about: 'Settings of the volume passed to the driver.' }),
  controllerPublishSecretRef: field(6, secretReference, {
    pointer: true,
    about: 'Secret passed to the driver when attaching and detaching.',
  }),
  nodeStageSecretRef: field(7, secretReference, {
    pointer: true,
    about: 'Secret passed to the driver when preparing the volume on a node.',
  }),
  nodePublishSecretRef: field(8, secretReference, {
    pointer: true,
    about: 'Secret passed to the driver when mounting into a pod.',
  }),
  controllerExpandSecretRef: field(9, secretReference, {
    pointer: true,
    about: 'Secret passed to the driver when enlarging the volume in the backend.',
  }),
  nodeExpandSecretRef: field(10, secretReference, {
    pointer: true,
    about: 'Secret passed to the driver when enlarging the volume on the node.',
  }),
}));

export const persistentVolumeSourceFields = {
  gcePersistentDisk: field(1, gcePersistentDiskVolumeSource, {
    pointer: true,
    about: 'A Google Compute Engine disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  awsElasticBlockStore: field(2, awsElasticBlockStoreVolumeSource, {
    pointer: true,
    about: 'An AWS EBS disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  hostPath: field(3, hostPathVolumeSource, {
    pointer: true,
    about: 'A directory of the node; only suited for tests on a single node.',
  }),
  glusterfs: field(4, glusterfsPersistentVolumeSource, {
    pointer: true,
    about: 'A GlusterFS volume. Legacy type, no longer supported.',
  }),
  nfs: field(5, nfsVolumeSource, { pointer: true, about: 'A directory shared by an NFS server.' }),
  rbd: field(6, rbdPersistentVolumeSource, {
    pointer: true,
    about: 'A Ceph RBD image. Legacy type, no longer supported.',
  }),
  iscsi: field(7, iscsiPersistentVolumeSource, { pointer: true, about: 'A disk reached over iSCSI.' }),
  cinder: field(8, cinderPersistentVolumeSource, {
    pointer: true,
    about: 'An OpenStack Cinder disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  cephfs: field(9, cephFSPersistentVolumeSource, {
    pointer: true,
    about: 'A CephFS file system. Legacy type, no longer supported.',
  }),
  fc: field(10, fcVolumeSource, { pointer: true, about: 'A disk reached over Fibre Channel.' }),
  flocker: field(11, flockerVolumeSource, {
    pointer: true,
    about: 'A Flocker dataset. Legacy type, no longer supported.',
  }),
  flexVolume: field(12, flexPersistentVolumeSource, {
    pointer: true,
    about: 'A volume handled by an exec-based FlexVolume driver. Legacy type; prefer csi.',
  }),
  azureFile: field(13, azureFilePersistentVolumeSource, {
    pointer: true,
    about: 'An Azure File share. Legacy in-tree type, handled by its CSI driver.',
  }),
  vsphereVolume: field(14, vsphereVirtualDiskVolumeSource, {
    pointer: true,
    about: 'A vSphere virtual disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  quobyte: field(15, quobyteVolumeSource, {
    pointer: true,
    about: 'A Quobyte volume. Legacy type, no longer supported.',
  }),
  azureDisk: field(16, azureDiskVolumeSource, {
    pointer: true,
    about: 'An Azure data disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  photonPersistentDisk: field(17, photonPersistentDiskVolumeSource, {
    pointer: true,
    about: 'A Photon Controller disk. Legacy type, no longer supported.',
  }),
  portworxVolume: field(18, portworxVolumeSource, {
    pointer: true,
    about: 'A Portworx volume. Legacy in-tree type, handled by its CSI driver.',
  }),
  scaleIO: field(19, scaleIOPersistentVolumeSource, {
    pointer: true,
    about: 'A ScaleIO volume. Legacy type, no longer supported.',
  }),
  local: field(20, localVolumeSource, {
    pointer: true,
    about: 'A disk or directory attached to one node; nodeAffinity must be set.',
  }),
  storageos: field(21, storageOSPersistentVolumeSource, {
    pointer: true,
    about: 'A StorageOS volume. Legacy type, no longer supported.',
  }),
  csi: field(22, csiPersistentVolumeSource, {
    pointer: true,
    about: 'Storage provided by a CSI driver, the usual kind.',
  }),
};
