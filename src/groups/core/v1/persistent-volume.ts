// PersistentVolume: a piece of cluster storage, made by an administrator or a provisioner, that claims can bind to.

import { labelKey } from '../../../meta/dialect.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { formatTime } from '../../../meta/time.ts';
import type { Column } from '../../../schema/column.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import { dateTime, field, type Infer, listOf, mapOf, quantity, string, struct, within } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { mergeStatus, statusOnly } from '../../subresources.ts';
import { formatAccessModes } from './access-modes.ts';
import { validateVolume, validateVolumeUpdate } from './persistent-volume-rules.ts';
import { persistentVolumeSourceFields } from './persistent-volume-source.ts';
import { objectReference } from './references.ts';
import { mostAmounts, roundedIn } from './rounded-amounts.ts';
import { nodeSelector } from './selectors.ts';
import { volumeObjectWarnings } from './storage-warnings.ts';

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

const persistentVolumeType = struct(
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

type Spec = Infer<typeof persistentVolumeSpec>;

/** The defaults of what a volume is, as an object or inside of another. */
export function defaultVolumeSpec(spec: Spec): Spec {
  const { hostPath } = spec;
  return {
    ...roundedIn(spec, ['capacity']),
    ...(hostPath === undefined ? {} : { hostPath: { ...hostPath, type: hostPath.type ?? '' } }),
  };
}

function defaults(object: PersistentVolume): ApiObject {
  const { spec = {}, status } = object;
  return {
    ...object,
    spec: {
      ...defaultVolumeSpec(spec),
      persistentVolumeReclaimPolicy: spec.persistentVolumeReclaimPolicy || 'Retain',
      volumeMode: spec.volumeMode ?? 'Filesystem',
    },
    status: { ...status, phase: status?.phase || 'Pending' },
  };
}

/** A client that changes the phase need not say when. */
const volumeStatus: PartSubresource<PersistentVolume> = {
  ...statusOnly,
  merge(next, old, context) {
    const merged = mergeStatus(next, old);
    const was = old.status ?? {};
    const { phase, lastPhaseTransitionTime: time } = merged.status ?? {};
    if (time !== undefined && (phase === was.phase || time !== was.lastPhaseTransitionTime)) return merged;
    const kept = phase === was.phase ? was.lastPhaseTransitionTime : formatTime(context.clock.now());
    return kept === undefined ? merged : { ...merged, status: { ...merged.status, lastPhaseTransitionTime: kept } };
  },
};

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

const claimOf = ({ spec }: PersistentVolume) =>
  spec?.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`;

export const persistentVolume = defineKind(persistentVolumeType, {
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
  shortNames: ['pv'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  deletion: { heldInUse: 'pv-protection' },
  quirks: { returnsDeleted: true },
  columns: [
    nameColumn,
    textColumn<PersistentVolume>('Capacity', 'Its size.', ({ spec }) => spec?.capacity?.['storage'] ?? '0'),
    textColumn<PersistentVolume>('Access Modes', 'Ways to mount it.', ({ spec }) =>
      formatAccessModes(spec?.accessModes),
    ),
    textColumn<PersistentVolume>(
      'Reclaim Policy',
      'What becomes of it after its claim.',
      ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
    ),
    textColumn<PersistentVolume>('Status', 'Where it is in its life.', phaseOf),
    textColumn<PersistentVolume>('Claim', 'The claim that has it.', claimOf),
    storageClassColumn('The class of the volume.'),
    textColumn<PersistentVolume>(
      'VolumeAttributesClass',
      'The class of its attributes.',
      ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
    ),
    textColumn<PersistentVolume>('Reason', 'Why it failed.', ({ status }) => status?.reason ?? ''),
    ageColumn,
    textColumn<PersistentVolume>(
      'VolumeMode',
      'File system or device.',
      ({ spec }) => spec?.volumeMode ?? '<unset>',
      'wide',
    ),
  ],
  subresources: [volumeStatus],
  strategy: {
    updateChecks: { meta: 2, metaChange: 0, fields: 2 },
    defaults,
    prepareForCreate: (object, { clock }) => ({
      ...object,
      status: { phase: 'Pending', lastPhaseTransitionTime: formatTime(clock.now()) },
    }),
    validate: (object, { dialect }) => validateVolume(object, dialect),
    validateUpdate: (next, old, { dialect }) => validateVolumeUpdate(next, old, dialect),
    warnings: (next, _, { dialect }) => volumeObjectWarnings(next, dialect),
  },
});
