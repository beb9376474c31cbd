// Type of PersistentVolumeClaim: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../../meta/object.ts';
import { dateTime, field, type Infer, listOf, mapOf, quantity, string, struct } from '../../../../schema/types.ts';
import { observationFields, transitionFields } from '../../../condition-fields.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { mostAmounts, roundedResources } from '../pod/rounded-amounts.ts';
import { persistentVolumeClaimSpec } from './persistent-volume-claim-spec.ts';

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
