// PodGroup: a set of pods that are scheduled under one common policy.

import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { validateConditionList } from '../../meta/v1/condition-rules.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';
import { requiredChecked, type ValidationErrors } from '../../rules.ts';
import { statusOnly } from '../../subresources.ts';
import { podGroupResourceClaim, podGroupSchedulingConstraints, podGroupSchedulingPolicy } from './pod-group-policy.ts';
import { disruptionModes, exactlyOne, fixedFields, validateClaimStatuses, validateGroup } from './pod-group-rules.ts';

const home = 'scheduling/v1alpha2';

const workloadPodGroupTemplateReference = struct(
  home,
  'WorkloadPodGroupTemplateReference',
  'Names a template inside a Workload.',
  () => ({
    workloadName: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the Workload in the same namespace.',
    }),
    podGroupTemplateName: field(2, string, {
      always: true,
      required: true,
      about: 'Name of the template within that Workload.',
    }),
  }),
);

const podGroupTemplateReference = struct(
  home,
  'PodGroupTemplateReference',
  "Where a group's template is found; set exactly one field.",
  () => ({
    workload: field(1, workloadPodGroupTemplateReference, {
      pointer: true,
      always: true,
      about: 'A template inside a Workload object.',
    }),
  }),
);

const podGroupSpec = struct(home, 'PodGroupSpec', 'Desired scheduling of a pod group.', () => ({
  podGroupTemplateRef: field(1, podGroupTemplateReference, {
    pointer: true,
    always: true,
    about: 'The template that this group was made from, if any; immutable.',
  }),
  schedulingPolicy: field(2, podGroupSchedulingPolicy, {
    always: true,
    required: true,
    about: 'Whether pods are scheduled singly or together as a gang.',
  }),
  schedulingConstraints: field(3, podGroupSchedulingConstraints, {
    pointer: true,
    off: true,
    gate: 'TopologyAwareWorkloadScheduling',
    about: 'Limits on where the pods may go, such as one common rack.',
  }),
  resourceClaims: field(4, listOf(podGroupResourceClaim), {
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge,retainKeys',
    patchMergeKey: 'name',
    off: true,
    gate: 'DRAWorkloadResourceClaims',
    about: 'Claims shared by the pods of the group.',
  }),
  disruptionMode: field(5, string, {
    goType: 'DisruptionMode',
    pointer: true,
    default: 'Pod',
    enum: disruptionModes,
    off: true,
    gate: 'WorkloadAwarePreemption',
    about: 'Pod (default) lets pods be preempted singly; PodGroup takes the whole group at once. Immutable.',
  }),
  priorityClassName: field(6, string, {
    off: true,
    gate: 'WorkloadAwarePreemption',
    about: "PriorityClass for the group; unset uses the cluster's default class, if any.",
  }),
  priority: field(7, int32, {
    pointer: true,
    off: true,
    gate: 'WorkloadAwarePreemption',
    about: 'Priority number, filled in from priorityClassName; higher is more important.',
  }),
}));

const podGroupResourceClaimStatus = struct(
  home,
  'PodGroupResourceClaimStatus',
  'Which claim was made for an entry of the group.',
  () => ({
    name: field(1, string, { always: true, required: true, about: 'Name of the entry in spec.resourceClaims.' }),
    resourceClaimName: field(2, string, {
      pointer: true,
      about: 'Name of the claim that was generated; unset if none was needed.',
    }),
  }),
);

const podGroupStatus = struct(home, 'PodGroupStatus', 'Observed state of a pod group.', () => ({
  conditions: field(1, listOf(condition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations about scheduling, at most one per type.',
  }),
  resourceClaimStatuses: field(2, listOf(podGroupResourceClaimStatus), {
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge,retainKeys',
    patchMergeKey: 'name',
    off: true,
    gate: 'DRAWorkloadResourceClaims',
    about: 'Claims made for the entries in spec.resourceClaims.',
  }),
}));

const podGroupType = struct(home, 'PodGroup', 'A set of pods that are scheduled under one common policy.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, podGroupSpec, {
    always: true,
    required: true,
    about: "The scheduling policy and limits for the group; set by the workload's controller.",
  }),
  status: field(3, podGroupStatus, { always: true, about: 'Scheduling state of the group; read-only for users.' }),
}));

export type PodGroup = ApiObject & Infer<typeof podGroupType>;

const specOf = (object: PodGroup) => object.spec ?? {};

function validateCreate(object: PodGroup): ValidationErrors {
  const { podGroupTemplateRef, ...spec } = specOf(object);
  return [...(podGroupTemplateRef ? validateTemplateRef(podGroupTemplateRef) : []), ...validateGroup(spec, 'spec')];
}

function validateTemplateRef({ workload }: Infer<typeof podGroupTemplateReference>): ValidationErrors {
  const at = 'spec.podGroupTemplateRef';
  return [
    ...exactlyOne(at, { workload }),
    ...(workload
      ? [
          ...requiredChecked(`${at}.workload.workloadName`, workload.workloadName, checkSubdomain),
          ...requiredChecked(`${at}.workload.podGroupTemplateName`, workload.podGroupTemplateName, checkLabelName),
        ]
      : []),
  ];
}

const specFields = [
  'podGroupTemplateRef',
  'schedulingPolicy',
  'schedulingConstraints',
  'resourceClaims',
  'disruptionMode',
  'priorityClassName',
  'priority',
] as const;

function validateStatus({ spec, status }: PodGroup): ValidationErrors {
  const { conditions, resourceClaimStatuses = [] } = status ?? {};
  return [
    ...validateConditionList(conditions, 'status.conditions'),
    ...validateClaimStatuses(resourceClaimStatuses, spec?.resourceClaims ?? [], 'status.resourceClaimStatuses'),
  ];
}

export const podGroup = defineKind(podGroupType, {
  kind: 'PodGroup',
  plural: 'podgroups',
  featureGate: 'GenericWorkload',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  columns: [nameColumn, ageColumn],
  subresources: [{ ...statusOnly, validateUpdate: validateStatus }],
  strategy: {
    updateChecks: { meta: 0 },
    validateCreate,
    validateUpdate: (next, old) => fixedFields('spec', specOf(next), specOf(old), specFields),
  },
});
