// Type of PersistentVolume: its fields, and what its rules need to know of it.

import { labelKey } from '../../../../meta/dialect.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import type { Column } from '../../../../schema/column.ts';
import {
  dateTime,
  field,
  type Infer,
  listOf,
  mapOf,
  quantity,
  string,
  struct,
  within,
} from '../../../../schema/types.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { mostAmounts } from '../pod/rounded-amounts.ts';
import { objectReference } from '../references.ts';
import { nodeSelector } from '../selectors.ts';
import { persistentVolumeSourceFields } from './persistent-volume-source.ts';

const home = 'core/v1';

const volumeNodeAffinity = struct(
  home,
  'VolumeNodeAffinity',
  'Limits the nodes from which a volume can be used.',
  () => ({
    required: field(1, nodeSelector, { pointer: true, about: 'Conditions a node must meet to use the volume.' }),
  }),
);

export const persistentVolumeSpec = struct(
  home,
  'PersistentVolumeSpec',
  'Describes one piece of storage and the rules for using it.',
  () => ({
    capacity: field(1, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      keepsEmpty: true,
      about: 'Size of the volume, as storage: 10Gi.',
    }),
    ...within(2, 'PersistentVolumeSource', persistentVolumeSourceFields),
    accessModes: field(3, listOf(string), {
      goType: '[]PersistentVolumeAccessMode',
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
      goType: 'PersistentVolumeReclaimPolicy',
      enum: ['Delete', 'Recycle', 'Retain'],
      about: 'Fate after the claim is gone: Retain (default when made by hand), Delete, or the obsolete Recycle.',
    }),
    storageClassName: field(6, string, { about: 'StorageClass the volume belongs to; empty means none.' }),
    mountOptions: field(7, listOf(string), {
      listType: 'atomic',
      about: 'Options for mounting, such as ro or soft; not checked in advance.',
    }),
    volumeMode: field(8, string, {
      goType: 'PersistentVolumeMode',
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
  }),
);

const persistentVolumeStatus = struct(
  home,
  'PersistentVolumeStatus',
  'What is currently known about a persistent volume.',
  () => ({
    phase: field(1, string, {
      goType: 'PersistentVolumePhase',
      enum: ['Available', 'Bound', 'Failed', 'Pending', 'Released'],
      about: 'Pending, Available, Bound to a claim, Released by its claim, or Failed.',
    }),
    message: field(2, string, { about: 'Readable explanation of the current phase.' }),
    reason: field(3, string, { about: 'Short CamelCase code for a failure.' }),
    lastPhaseTransitionTime: field(4, dateTime, { pointer: true, about: 'When the phase last changed.' }),
  }),
);

export const persistentVolumeType = struct(
  home,
  'PersistentVolume',
  'A piece of cluster storage, made by an administrator or a provisioner, that claims can bind to.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, persistentVolumeSpec, {
      always: true,
      about: 'What the storage is, how large, and how it may be used.',
    }),
    status: field(3, persistentVolumeStatus, {
      always: true,
      about: 'Whether the volume is free, bound or in trouble; written by the system.',
    }),
  }),
);

export type PersistentVolume = ApiObject & Infer<typeof persistentVolumeType>;

export type Spec = Infer<typeof persistentVolumeSpec>;

interface Classed extends ApiObject {
  readonly spec?: { readonly storageClassName?: string };
}

/** The class that an annotation of old names, or the one of the field. */
export function storageClassColumn(about: string): Column<Classed> {
  return {
    name: 'StorageClass',
    type: 'string',
    about,
    priority: 0,
    cell: (object, { dialect }) =>
      object.metadata.annotations?.[`volume.beta.${labelKey(dialect, 'storage-class')}`] ??
      object.spec?.storageClassName ??
      '',
  };
}

export const phaseOf = ({ metadata, status }: ApiObject & { readonly status?: { readonly phase?: string } }): string =>
  metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating';
