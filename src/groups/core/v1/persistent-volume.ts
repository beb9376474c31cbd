// PersistentVolume: a piece of cluster storage, made by an administrator or a provisioner, that claims can bind to.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { dateTime, field, type Infer, listOf, mapOf, quantity, string, struct, within } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { statusOnly } from '../../subresources.ts';
import { persistentVolumeSourceFields } from './persistent-volume-source.ts';
import { objectReference } from './references.ts';
import { nodeSelector } from './selectors.ts';

const home = 'core/v1';

export const volumeNodeAffinity = struct(
  home,
  'VolumeNodeAffinity',
  'Limits the nodes from which a volume can be used.',
  {
    required: field(1, nodeSelector, { pointer: true, about: 'Conditions a node must meet to use the volume.' }),
  },
);

export const persistentVolumeSpec = struct(
  home,
  'PersistentVolumeSpec',
  'Describes one piece of storage and the rules for using it.',
  {
    capacity: field(1, mapOf(quantity), { about: 'Size of the volume, as storage: 10Gi.' }),
    ...within(2, persistentVolumeSourceFields),
    accessModes: field(3, listOf(string), {
      enum: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'],
      listType: 'atomic',
      about: 'Ways it can be mounted: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.',
    }),
    claimRef: field(4, objectReference, {
      pointer: true,
      mapType: 'granular',
      about: 'Claim this volume is bound to; set it in advance to reserve the volume for that claim.',
    }),
    persistentVolumeReclaimPolicy: field(5, string, {
      enum: ['Delete', 'Recycle', 'Retain'],
      about: 'Fate after the claim is gone: Retain (default when made by hand), Delete, or the obsolete Recycle.',
    }),
    storageClassName: field(6, string, { about: 'StorageClass the volume belongs to; empty means none.' }),
    mountOptions: field(7, listOf(string), {
      listType: 'atomic',
      about: 'Options for mounting, such as ro or soft; not checked in advance.',
    }),
    volumeMode: field(8, string, {
      pointer: true,
      enum: ['Block', 'Filesystem'],
      about: 'Filesystem (default) for a mounted file system, or Block for a raw device.',
    }),
    nodeAffinity: field(9, volumeNodeAffinity, {
      pointer: true,
      about: 'Nodes from which the volume can be reached; restricts where its pods run.',
    }),
    volumeAttributesClassName: field(10, string, {
      pointer: true,
      about: 'VolumeAttributesClass the volume currently has; only for CSI volumes.',
    }),
  },
);

export const persistentVolumeStatus = struct(
  home,
  'PersistentVolumeStatus',
  'What is currently known about a persistent volume.',
  {
    phase: field(1, string, {
      enum: ['Available', 'Bound', 'Failed', 'Pending', 'Released'],
      about: 'Pending, Available, Bound to a claim, Released by its claim, or Failed.',
    }),
    message: field(2, string, { about: 'Readable explanation of the current phase.' }),
    reason: field(3, string, { about: 'Short CamelCase code for a failure.' }),
    lastPhaseTransitionTime: field(4, dateTime, { pointer: true, about: 'When the phase last changed.' }),
  },
);

export const persistentVolumeType = struct(
  home,
  'PersistentVolume',
  'A piece of cluster storage, made by an administrator or a provisioner, that claims can bind to.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, persistentVolumeSpec, {
      always: true,
      about: 'What the storage is, how large, and how it may be used.',
    }),
    status: field(3, persistentVolumeStatus, {
      always: true,
      about: 'Whether the volume is free, bound or in trouble; written by the system.',
    }),
  },
);

export type PersistentVolume = ApiObject & Infer<typeof persistentVolumeType>;

export const persistentVolume: KindDefinition = {
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
  shortNames: ['pv'],
  verbs: allVerbs,
  type: persistentVolumeType,
  checkName: checkSubdomain,
  heldInUse: 'pv-protection',
  returnsDeleted: true,
  subresources: [statusOnly],
};
