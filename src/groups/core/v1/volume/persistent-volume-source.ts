// Types of persistent volume source: PersistentVolumeSource, GlusterfsPersistentVolumeSource, RBDPersistentVolumeSource and others.

import { bool, field, mapOf, string, struct } from '../../../../schema/types.ts';
import { objectReference, secretReference } from '../references.ts';
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
  vsphereVirtualDiskVolumeSource,
} from './volume-sources.ts';

const home = 'core/v1';

const glusterfsPersistentVolumeSource = struct(
  home,
  'GlusterfsPersistentVolumeSource',
  'A GlusterFS volume behind a persistent volume. No longer supported.',
  () => ({
    ...glusterfsFields(),
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
  () => iscsiFields(secretReference),
);

const cinderPersistentVolumeSource = struct(
  home,
  'CinderPersistentVolumeSource',
  'An OpenStack Cinder disk behind a persistent volume. Legacy; prefer the CSI driver.',
  () => cinderFields(secretReference),
);

const cephFSPersistentVolumeSource = struct(
  home,
  'CephFSPersistentVolumeSource',
  'A CephFS file system behind a persistent volume. No longer supported.',
  () => cephFSFields(secretReference),
);

const flexPersistentVolumeSource = struct(
  home,
  'FlexPersistentVolumeSource',
  'A persistent volume handled by a FlexVolume driver. Legacy; prefer CSI.',
  () => flexFields(secretReference),
);

const azureFilePersistentVolumeSource = struct(
  home,
  'AzureFilePersistentVolumeSource',
  'An Azure File share behind a persistent volume. Legacy; prefer the CSI driver.',
  () => ({
    ...azureFileFields(),
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
  () => scaleIOFields(secretReference),
);

const storageOSPersistentVolumeSource = struct(
  home,
  'StorageOSPersistentVolumeSource',
  'A StorageOS volume behind a persistent volume. No longer supported.',
  () => storageOSFields(objectReference),
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
