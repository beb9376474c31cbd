// Workload: describes the pod groups of an application and how they should be scheduled.

import { duplicate, required, tooMany } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName, checkPathSegment, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { checked, repeatsIn, requiredChecked, type ValidationErrors } from '../../rules.ts';
import { podGroupResourceClaim, podGroupSchedulingConstraints, podGroupSchedulingPolicy } from './pod-group-policy.ts';
import { disruptionModes, fixedFields, validateGroup } from './pod-group-rules.ts';

const home = 'scheduling/v1alpha2';

const typedLocalObjectReference = struct(
  home,
  'TypedLocalObjectReference',
  'Points at an object in the same namespace.',
  () => ({
    apiGroup: field(1, string, { about: 'API group of the object; empty for the core group.' }),
    kind: field(2, string, { always: true, required: true, about: 'Kind of the object, such as Job.' }),
    name: field(3, string, { always: true, required: true, about: 'Name of the object being referred to.' }),
  }),
);

const podGroupTemplate = struct(home, 'PodGroupTemplate', 'A pattern for pod groups of a workload.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the template, a lowercase DNS label unique in the workload.',
  }),
  schedulingPolicy: field(2, podGroupSchedulingPolicy, {
    always: true,
    required: true,
    about: 'Whether pods are scheduled singly or together as a gang.',
  }),
  schedulingConstraints: field(3, podGroupSchedulingConstraints, {
    pointer: true,
    always: true,
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
    about: 'Claims shared by the pods of each group.',
  }),
  disruptionMode: field(5, string, {
    goType: 'DisruptionMode',
    pointer: true,
    enum: disruptionModes,
    off: true,
    gate: 'WorkloadAwarePreemption',
    about: 'Pod lets pods be preempted singly; PodGroup takes the whole group at once.',
  }),
  priorityClassName: field(6, string, {
    off: true,
    gate: 'WorkloadAwarePreemption',
    about: "PriorityClass for groups made from this template; unset uses the cluster's default class.",
  }),
  priority: field(7, int32, {
    pointer: true,
    off: true,
    gate: 'WorkloadAwarePreemption',
    about: 'Priority number, filled in from priorityClassName; higher is more important.',
  }),
}));

const workloadSpec = struct(home, 'WorkloadSpec', 'Desired configuration of a Workload.', () => ({
  controllerRef: field(1, typedLocalObjectReference, {
    pointer: true,
    about: 'The object, such as a Job, that owns this Workload; for information only.',
  }),
  podGroupTemplates: field(2, listOf(podGroupTemplate), {
    always: true,
    required: true,
    listType: 'map',
    mapKeys: ['name'],
    about: 'Patterns for the groups; at least one and at most 8, immutable.',
  }),
}));

const workloadType = struct(
  home,
  'Workload',
  'Describes the pod groups of an application and how they should be scheduled.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, workloadSpec, {
      always: true,
      required: true,
      about: 'The pod group templates and the controller that uses them.',
    }),
  }),
);

export type Workload = ApiObject & Infer<typeof workloadType>;

type Spec = NonNullable<Workload['spec']>;

const specOf = (object: Workload): Spec => object.spec ?? {};
const maxTemplates = 8;

const at = 'spec.podGroupTemplates';

/** What holds of a new object and of a changed one: later, templates are only counted. */
function validateTemplateCount(object: Workload): ValidationErrors {
  const count = specOf(object).podGroupTemplates?.length ?? 0;
  if (count === 0) return [required(at)];
  return count > maxTemplates ? [tooMany(at, count, maxTemplates)] : [];
}

function validateCreate(object: Workload): ValidationErrors {
  const { controllerRef, podGroupTemplates = [] } = specOf(object);
  const wrong = validateTemplateCount(object);
  return [
    ...(controllerRef ? validateController(controllerRef) : []),
    ...wrong,
    ...(wrong.length > 0 ? [] : validateTemplates(podGroupTemplates)),
  ];
}

function validateTemplates(templates: NonNullable<Spec['podGroupTemplates']>): ValidationErrors {
  const isRepeated = repeatsIn(templates.map(({ name = '' }) => name));
  return [
    ...findEach(templates, (template, i) => (isRepeated(i) ? [duplicate(`${at}[${i}]`, template)] : [])),
    ...findEach(templates, ({ name, ...spec }, i) => [
      ...requiredChecked(`${at}[${i}].name`, name, checkLabelName),
      ...validateGroup(spec, `${at}[${i}]`),
    ]),
  ];
}

function validateController({ apiGroup = '', kind, name }: NonNullable<Spec['controllerRef']>): ValidationErrors {
  return [
    ...(apiGroup === '' ? [] : checked('spec.controllerRef.apiGroup', apiGroup, checkSubdomain)),
    ...requiredChecked('spec.controllerRef.kind', kind, checkPathSegment),
    ...requiredChecked('spec.controllerRef.name', name, checkPathSegment),
  ];
}

function validateUpdate(next: Workload, old: Workload): ValidationErrors {
  const changed = fixedFields('spec', specOf(next), specOf(old), ['controllerRef', 'podGroupTemplates']);
  return changed.some(({ field: changedField }) => changedField === at)
    ? [...changed, ...validateTemplateCount(next)]
    : changed;
}

export const workload = defineKind(workloadType, {
  kind: 'Workload',
  plural: 'workloads',
  featureGate: 'GenericWorkload',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  columns: [nameColumn, ageColumn],
  strategy: { updateChecks: { meta: 0 }, validateCreate, validateUpdate },
});
