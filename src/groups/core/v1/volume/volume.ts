// Types of volume: Volume, VolumeSource, EmptyDirVolumeSource and others.

import { bool, field, quantity, string, struct, within } from '../../../../schema/types.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { persistentVolumeClaimSpec } from './persistent-volume-claim-spec.ts';
import {
  configMapVolumeSource,
  downwardAPIVolumeSource,
  projectedVolumeSource,
  secretVolumeSource,
} from './projected-volume.ts';
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  azureFileVolumeSource,
  cephFSVolumeSource,
  cinderVolumeSource,
  csiVolumeSource,
  fcVolumeSource,
  flexVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  glusterfsVolumeSource,
  hostPathVolumeSource,
  iscsiVolumeSource,
  nfsVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  rbdVolumeSource,
  scaleIOVolumeSource,
  storageOSVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from './volume-sources.ts';

const home = 'core/v1';

const emptyDirVolumeSource = struct(
  home,
  'EmptyDirVolumeSource',
  'A directory that starts empty and is removed with the pod.',
  () => ({
    medium: field(1, string, {
      goType: 'StorageMedium',
      about: 'Where data is kept: empty for node disk, Memory for tmpfs, or HugePages.',
    }),
    sizeLimit: field(2, quantity, {
      pointer: true,
      about: 'Most data the volume may hold, such as 500Mi; no limit by default.',
    }),
  }),
);

const gitRepoVolumeSource = struct(
  home,
  'GitRepoVolumeSource',
  'A directory filled by cloning a git repository. No longer supported.',
  () => ({
    repository: field(1, string, { always: true, required: true, about: 'URL of the repository to clone.' }),
    revision: field(2, string, { about: 'Commit hash to check out from the repository.' }),
    directory: field(3, string, {
      about: 'Target directory in the volume, without ".."; "." puts the files at the root.',
    }),
  }),
);

const persistentVolumeClaimVolumeSource = struct(
  home,
  'PersistentVolumeClaimVolumeSource',
  'Uses an existing claim as a pod volume.',
  () => ({
    claimName: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the PersistentVolumeClaim in the namespace of the pod.',
    }),
    readOnly: field(2, bool, { about: 'Force all mounts of this volume to be read-only; false by default.' }),
  }),
);

export const persistentVolumeClaimTemplate = struct(
  home,
  'PersistentVolumeClaimTemplate',
  'Template of a claim that is created for a pod.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, persistentVolumeClaimSpec, {
      always: true,
      required: true,
      about: 'Copied unchanged into the claim that is created.',
    }),
  }),
);

export const ephemeralVolumeSource = struct(
  home,
  'EphemeralVolumeSource',
  'A volume claim created for the pod and owned by it.',
  () => ({
    volumeClaimTemplate: field(1, persistentVolumeClaimTemplate, {
      pointer: true,
      about: 'The claim to create; it is named after the pod and the volume.',
    }),
  }),
);

const imageVolumeSource = struct(
  home,
  'ImageVolumeSource',
  'An OCI image or artifact mounted as a read-only volume.',
  () => ({
    reference: field(1, string, { about: 'Image reference, in the same form as for container images.' }),
    pullPolicy: field(2, string, {
      goType: 'PullPolicy',
      enum: ['Always', 'IfNotPresent', 'Never'],
      about: 'When to pull: Always, IfNotPresent or Never; Always by default for the latest tag.',
    }),
  }),
);

const volumeSourceFields = {
  hostPath: field(1, hostPathVolumeSource, {
    pointer: true,
    about: 'A file or directory of the node itself; powerful, avoid for ordinary workloads.',
  }),
  emptyDir: field(2, emptyDirVolumeSource, {
    pointer: true,
    about: 'An empty directory that lives as long as the pod.',
  }),
  gcePersistentDisk: field(3, gcePersistentDiskVolumeSource, {
    pointer: true,
    about: 'A Google Compute Engine disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  awsElasticBlockStore: field(4, awsElasticBlockStoreVolumeSource, {
    pointer: true,
    about: 'An AWS EBS disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  gitRepo: field(5, gitRepoVolumeSource, {
    pointer: true,
    about: 'A clone of a git repository. No longer supported; clone in an init container instead.',
  }),
  secret: field(6, secretVolumeSource, { pointer: true, about: 'Keys of a Secret shown as files.' }),
  nfs: field(7, nfsVolumeSource, { pointer: true, about: 'A directory shared by an NFS server.' }),
  iscsi: field(8, iscsiVolumeSource, { pointer: true, about: 'A disk reached over iSCSI.' }),
  glusterfs: field(9, glusterfsVolumeSource, {
    pointer: true,
    about: 'A GlusterFS volume. Legacy type, no longer supported.',
  }),
  persistentVolumeClaim: field(10, persistentVolumeClaimVolumeSource, {
    pointer: true,
    about: 'A PersistentVolumeClaim in the same namespace as the pod.',
  }),
  rbd: field(11, rbdVolumeSource, { pointer: true, about: 'A Ceph RBD image. Legacy type, no longer supported.' }),
  flexVolume: field(12, flexVolumeSource, {
    pointer: true,
    about: 'A volume handled by an exec-based FlexVolume driver. Legacy type; prefer csi.',
  }),
  cinder: field(13, cinderVolumeSource, {
    pointer: true,
    about: 'An OpenStack Cinder disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  cephfs: field(14, cephFSVolumeSource, {
    pointer: true,
    about: 'A CephFS file system. Legacy type, no longer supported.',
  }),
  flocker: field(15, flockerVolumeSource, {
    pointer: true,
    about: 'A Flocker dataset. Legacy type, no longer supported.',
  }),
  downwardAPI: field(16, downwardAPIVolumeSource, { pointer: true, about: 'Fields of the pod shown as files.' }),
  fc: field(17, fcVolumeSource, { pointer: true, about: 'A disk reached over Fibre Channel.' }),
  azureFile: field(18, azureFileVolumeSource, {
    pointer: true,
    about: 'An Azure File share. Legacy in-tree type, handled by its CSI driver.',
  }),
  configMap: field(19, configMapVolumeSource, { pointer: true, about: 'Keys of a ConfigMap shown as files.' }),
  vsphereVolume: field(20, vsphereVirtualDiskVolumeSource, {
    pointer: true,
    about: 'A vSphere virtual disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  quobyte: field(21, quobyteVolumeSource, {
    pointer: true,
    about: 'A Quobyte volume. Legacy type, no longer supported.',
  }),
  azureDisk: field(22, azureDiskVolumeSource, {
    pointer: true,
    about: 'An Azure data disk. Legacy in-tree type, handled by its CSI driver.',
  }),
  photonPersistentDisk: field(23, photonPersistentDiskVolumeSource, {
    pointer: true,
    about: 'A Photon Controller disk. Legacy type, no longer supported.',
  }),
  projected: field(26, projectedVolumeSource, {
    pointer: true,
    about: 'Several sources, such as Secrets and tokens, combined in one directory.',
  }),
  portworxVolume: field(24, portworxVolumeSource, {
    pointer: true,
    about: 'A Portworx volume. Legacy in-tree type, handled by its CSI driver.',
  }),
  scaleIO: field(25, scaleIOVolumeSource, {
    pointer: true,
    about: 'A ScaleIO volume. Legacy type, no longer supported.',
  }),
  storageos: field(27, storageOSVolumeSource, {
    pointer: true,
    about: 'A StorageOS volume. Legacy type, no longer supported.',
  }),
  csi: field(28, csiVolumeSource, { pointer: true, about: 'Short-lived storage provided directly by a CSI driver.' }),
  ephemeral: field(29, ephemeralVolumeSource, {
    pointer: true,
    about: 'A claim made for this pod from a template and deleted together with it.',
  }),
  image: field(30, imageVolumeSource, {
    pointer: true,
    about: 'Content of an OCI image or artifact, mounted read-only.',
  }),
};

export const volume = struct(home, 'Volume', 'Storage that containers of a pod can mount.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the volume, a DNS label unique within the pod.',
  }),
  ...within(2, 'VolumeSource', volumeSourceFields),
}));
