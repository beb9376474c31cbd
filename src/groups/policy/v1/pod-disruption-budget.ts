// PodDisruptionBudget: limits how many matching pods may be taken down at once by voluntary evictions.

import { invalidValue } from '../../../meta/field-errors.ts';
import { checkPathSegment } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import {
  dateTime,
  field,
  type Infer,
  int32,
  int64,
  intOrString,
  listOf,
  mapOf,
  string,
  struct,
} from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { notMoreThanAll, validateAmount } from '../../amount.ts';
import { ageColumn, numberColumn, textColumn } from '../../columns.ts';
import { validateConditionList } from '../../meta/v1/condition-rules.ts';
import { labelSelector, validateLabelSelector } from '../../meta/v1/label-selector.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';
import { noneNegative, oneOf, type ValidationErrors } from '../../rules.ts';
import { statusOnly } from '../../subresources.ts';

const home = 'policy/v1';

const podDisruptionBudgetSpec = struct(
  home,
  'PodDisruptionBudgetSpec',
  'Desired protection of a group of pods.',
  () => ({
    minAvailable: field(1, intOrString, {
      pointer: true,
      about: 'Pods (number or percentage) that must remain healthy; cannot be combined with maxUnavailable.',
    }),
    selector: field(2, labelSelector, {
      pointer: true,
      patchStrategy: 'replace',
      about: 'Pods that are protected; {} covers all in the namespace, unset covers none.',
    }),
    maxUnavailable: field(3, intOrString, {
      pointer: true,
      about: 'Pods (number or percentage) that may be down at once; cannot be combined with minAvailable.',
    }),
    unhealthyPodEvictionPolicy: field(4, string, {
      goType: 'UnhealthyPodEvictionPolicyType',
      pointer: true,
      enum: ['AlwaysAllow', 'IfHealthyBudget'],
      about: 'When running but unready pods may be evicted: IfHealthyBudget (default) or AlwaysAllow.',
    }),
  }),
);

const podDisruptionBudgetStatus = struct(
  home,
  'PodDisruptionBudgetStatus',
  'Observed state of a disruption budget.',
  () => ({
    observedGeneration: field(1, int64, {
      about: 'The metadata.generation that these numbers reflect; evictions wait until it is current.',
    }),
    disruptedPods: field(2, mapOf(dateTime), {
      about: "Pods whose eviction was granted but not yet seen as deleted, with the grant's time.",
    }),
    disruptionsAllowed: field(3, int32, { always: true, about: 'How many evictions would be granted right now.' }),
    currentHealthy: field(4, int32, { always: true, about: 'Matching pods that are healthy now.' }),
    desiredHealthy: field(5, int32, { always: true, about: 'Fewest healthy pods the budget insists on.' }),
    expectedPods: field(6, int32, { always: true, about: 'Number of pods covered by this budget.' }),
    conditions: field(7, listOf(condition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Current observations, such as DisruptionAllowed, at most one per type.',
    }),
  }),
);

const podDisruptionBudgetType = struct(
  home,
  'PodDisruptionBudget',
  'Limits how many matching pods may be taken down at once by voluntary evictions.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, podDisruptionBudgetSpec, { always: true, about: 'The pods protected and how many must stay up.' }),
    status: field(3, podDisruptionBudgetStatus, {
      always: true,
      about: 'How many more pods may be evicted now; read-only for users.',
    }),
  }),
);

export type PodDisruptionBudget = ApiObject & Infer<typeof podDisruptionBudgetType>;

const specOf = (object: PodDisruptionBudget) => object.spec ?? {};
const statusOf = (object: PodDisruptionBudget) => object.status ?? {};

function validate(object: PodDisruptionBudget): ValidationErrors {
  const spec = specOf(object);
  const both = spec.minAvailable !== undefined && spec.maxUnavailable !== undefined;
  const { unhealthyPodEvictionPolicy: policy } = spec;
  return [
    ...(both
      ? [
          invalidValue(
            'spec',
            inReferenceForm('PodDisruptionBudgetSpec', spec),
            'minAvailable and maxUnavailable cannot be both set',
          ),
        ]
      : []),
    ...(['minAvailable', 'maxUnavailable'] as const).flatMap((name) => [
      ...validateAmount(`spec.${name}`, spec[name] ?? 0),
      ...notMoreThanAll(`spec.${name}`, spec[name] ?? 0),
    ]),
    ...validateLabelSelector(spec.selector, 'spec.selector'),
    ...(policy === undefined
      ? []
      : oneOf('spec.unhealthyPodEvictionPolicy', policy, ['AlwaysAllow', 'IfHealthyBudget'])),
  ];
}

function validateStatus(next: PodDisruptionBudget): ValidationErrors {
  const status = statusOf(next);
  return [
    ...validateConditionList(status.conditions, 'status.conditions'),
    ...noneNegative('status', status, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']),
  ];
}

export const podDisruptionBudget = defineKind(podDisruptionBudgetType, {
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  namespaced: true,
  shortNames: ['pdb'],
  verbs: allVerbs,
  checkName: checkPathSegment,
  generationIgnores: ['status'],
  quirks: { conditionalUpdateOnly: true, plainFinalizers: true },
  columns: [
    nameColumn,
    textColumn('Min Available', 'Pods that must stay up.', (o) => String(specOf(o).minAvailable ?? 'N/A')),
    textColumn('Max Unavailable', 'Pods that may be down.', (o) => String(specOf(o).maxUnavailable ?? 'N/A')),
    numberColumn('Allowed Disruptions', 'Pods that may be evicted now.', (o) => statusOf(o).disruptionsAllowed ?? 0),
    ageColumn,
  ],
  subresources: [{ ...statusOnly, validateUpdate: validateStatus, updateChecks: { metaChange: 0 } }],
  strategy: { updateChecks: { meta: 0, metaChange: 0 }, validate },
});
