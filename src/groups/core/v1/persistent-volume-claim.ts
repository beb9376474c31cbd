// PersistentVolumeClaim: a request for storage that is bound to a fitting persistent volume.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { dateTime, field, type Infer, listOf, mapOf, quantity, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { observationFields, transitionFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { statusOnly } from '../../subresources.ts';
import { formatAccessModes } from './access-modes.ts';
import { phaseOf, storageClassColumn } from './persistent-volume.ts';
import {
  alignSources,
  validateClaimSpec,
  validateClaimStatus,
  validateClaimUpdate,
} from './persistent-volume-claim-rules.ts';
import { persistentVolumeClaimSpec } from './persistent-volume-claim-spec.ts';
import { mostAmounts, roundedIn, roundedResources } from './rounded-amounts.ts';
import { claimObjectWarnings } from './storage-warnings.ts';

const home = 'core/v1';

const persistentVolumeClaimCondition = struct(
  home,
  'PersistentVolumeClaimCondition',
  'One named check on the state of a claim.',
  () => ({
    ...observationFields('Name of the condition, such as Resizing or FileSystemResizePending.', {
      type: 'PersistentVolumeClaimConditionType',
    }),
    lastProbeTime: field(3, dateTime, { always: true, about: 'When the condition was last checked.' }),
    ...transitionFields(4),
  }),
);

const modifyVolumeStatus = struct(
  home,
  'ModifyVolumeStatus',
  'Progress of changing the attributes class of a volume.',
  () => ({
    targetVolumeAttributesClassName: field(1, string, { about: 'VolumeAttributesClass that is being applied.' }),
    status: field(2, string, {
      goType: 'PersistentVolumeClaimModifyVolumeStatus',
      always: true,
      required: true,
      enum: ['InProgress', 'Infeasible', 'Pending'],
      about: 'Pending, InProgress, or Infeasible if the driver rejected it.',
    }),
  }),
);

const persistentVolumeClaimStatus = struct(
  home,
  'PersistentVolumeClaimStatus',
  'What is currently known about a claim.',
  () => ({
    phase: field(1, string, {
      goType: 'PersistentVolumeClaimPhase',
      enum: ['Bound', 'Lost', 'Pending'],
      about: 'Pending while unbound, Bound, or Lost if its volume disappeared.',
    }),
    accessModes: field(2, listOf(string), {
      goType: '[]PersistentVolumeAccessMode',
      enum: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'],
      listType: 'atomic',
      about: 'Access modes of the volume that is bound.',
    }),
    capacity: field(3, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      about: 'Actual size of the volume that is bound.',
    }),
    conditions: field(4, listOf(persistentVolumeClaimCondition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Named checks, such as on a running resize.',
    }),
    allocatedResources: field(5, mapOf(quantity, mostAmounts), {
      goType: 'ResourceList',
      about: 'Size that the storage has been asked to grow to, which may exceed capacity.',
    }),
    allocatedResourceStatuses: field(7, mapOf(string), {
      goType: 'map[ResourceName]ClaimResourceStatus',
      enum: [
        'ControllerResizeInProgress',
        'ControllerResizeInfeasible',
        'NodeResizeInProgress',
        'NodeResizeInfeasible',
        'NodeResizePending',
      ],
      mapType: 'granular',
      about: 'Stage of a resize per resource, such as ControllerResizeInProgress or NodeResizePending.',
    }),
    currentVolumeAttributesClassName: field(8, string, {
      pointer: true,
      about: 'VolumeAttributesClass that the volume has now; unset if none.',
    }),
    modifyVolumeStatus: field(9, modifyVolumeStatus, {
      pointer: true,
      about: 'Progress of a change of VolumeAttributesClass; unset if none is under way.',
    }),
  }),
);

export const persistentVolumeClaimType = struct(
  home,
  'PersistentVolumeClaim',
  'A request for storage that is bound to a fitting persistent volume.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, persistentVolumeClaimSpec, { always: true, about: 'What kind and amount of storage is wanted.' }),
    status: field(3, persistentVolumeClaimStatus, {
      always: true,
      about: 'Whether the claim is bound and what it got; written by the system.',
    }),
  }),
);

export type PersistentVolumeClaim = ApiObject & Infer<typeof persistentVolumeClaimType>;

/** The defaults of what is asked for: by a claim, and by what claims are made from. */
export function defaultClaimSpec(spec: Infer<typeof persistentVolumeClaimSpec>): typeof spec {
  const { resources } = spec;
  return {
    ...spec,
    ...(resources ? { resources: roundedResources(resources) } : {}),
    volumeMode: spec.volumeMode ?? 'Filesystem',
  };
}

/** The defaults of a claim, and of one inside of another object. */
export function defaultClaimParts({ spec = {}, status = {} }: Infer<typeof persistentVolumeClaimType>) {
  return {
    spec: defaultClaimSpec(spec),
    status: { ...roundedIn(status, ['capacity', 'allocatedResources']), phase: status.phase || 'Pending' },
  };
}

const defaults = (object: PersistentVolumeClaim): ApiObject => ({ ...object, ...defaultClaimParts(object) });

/** What a claim has is shown once it has it. */
const whenBound = (show: (claim: PersistentVolumeClaim) => string) => (claim: PersistentVolumeClaim) =>
  claim.spec?.volumeName ? show(claim) : '';

export const persistentVolumeClaim = defineKind(persistentVolumeClaimType, {
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
  shortNames: ['pvc'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  deletion: { heldInUse: 'pvc-protection' },
  quirks: { returnsDeleted: true },
  columns: [
    nameColumn,
    textColumn<PersistentVolumeClaim>('Status', 'Whether it is bound.', phaseOf),
    textColumn<PersistentVolumeClaim>('Volume', 'The volume that it has.', ({ spec }) => spec?.volumeName ?? ''),
    textColumn<PersistentVolumeClaim>(
      'Capacity',
      'The size that it got.',
      whenBound(({ status }) => status?.capacity?.['storage'] ?? '0'),
    ),
    textColumn<PersistentVolumeClaim>(
      'Access Modes',
      'Ways to mount the volume.',
      whenBound(({ status }) => formatAccessModes(status?.accessModes)),
    ),
    storageClassColumn('The class that was asked for.'),
    textColumn<PersistentVolumeClaim>(
      'VolumeAttributesClass',
      'The class of attributes that was asked for.',
      ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
    ),
    ageColumn,
    textColumn<PersistentVolumeClaim>(
      'VolumeMode',
      'File system or device.',
      ({ spec }) => spec?.volumeMode ?? '<unset>',
      'wide',
    ),
  ],
  subresources: [{ ...statusOnly, validateUpdate: (next, _, { dialect }) => validateClaimStatus(next, dialect) }],
  strategy: {
    defaults,
    prepareForCreate(object, { dialect }) {
      const spec = alignSources(object.spec ?? {}, dialect);
      return { ...object, spec, status: { phase: 'Pending' } };
    },
    prepareForUpdate: (next, old, { dialect }) => ({
      ...next,
      spec: alignSources(next.spec ?? {}, dialect, old.spec),
    }),
    validateCreate: (object) => validateClaimSpec(object.spec ?? {}),
    validateUpdate: (next, old, { dialect }) => [
      ...validateClaimSpec(next.spec ?? {}, 'spec', old.spec),
      ...validateClaimUpdate(next, old, dialect),
    ],
    warnings: (next, _, { dialect }) => claimObjectWarnings(next, dialect),
  },
});
