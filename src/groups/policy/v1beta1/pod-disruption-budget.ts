// PodDisruptionBudget before policy v1: an empty selector selected nothing, where it selects everything now.

import { emptySelectorMark } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import type { LabelSelector } from '../../meta/v1/label-selector.ts';
import { sameShape } from '../../same-shape.ts';
import { type PodDisruptionBudget, podDisruptionBudget } from '../v1/pod-disruption-budget.ts';

const marked = (operator: string): LabelSelector => ({ matchExpressions: [{ key: emptySelectorMark, operator }] });

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

const isMarked = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector, operator: string) =>
  Object.keys(matchLabels).length === 0 &&
  matchExpressions.length === 1 &&
  matchExpressions[0]?.key === emptySelectorMark &&
  matchExpressions[0].operator === operator;

/**
 * A mark that no pod has says what the other version means by an empty selector, so that both keep their
 * meaning and both come back as they were.
 */
function converted(object: PodDisruptionBudget, operatorForEmpty: string, operatorForMarked: string): ApiObject {
  const { spec } = object;
  if (!spec?.selector) return object;
  if (isMarked(spec.selector, operatorForMarked)) return { ...object, spec: { ...spec, selector: {} } };
  return isEmpty(spec.selector) ? { ...object, spec: { ...spec, selector: marked(operatorForEmpty) } } : object;
}

export const podDisruptionBudgetV1beta1: KindDefinition = {
  ...sameShape(podDisruptionBudget, 'policy/v1beta1', {
    since: 21,
    removed: 25,
    replacement: { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' },
  }),
  conversion: {
    toStorage: (object: PodDisruptionBudget) => converted(object, 'Exists', 'DoesNotExist'),
    fromStorage: (object: PodDisruptionBudget) => converted(object, 'DoesNotExist', 'Exists'),
  },
};
