// PodDisruptionBudget before policy v1: an empty selector selected nothing, where it selects everything now.

import { type Dialect, emptySelectorMark } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import type { LabelSelector } from '../../meta/v1/label-selector.ts';
import { sameShape } from '../../same-shape.ts';
import { type PodDisruptionBudget, podDisruptionBudget } from '../v1/pod-disruption-budget.ts';

/** A mark in the words of a dialect, and the two meanings that it can have. */
interface Marks {
  readonly key: string;
  readonly forEmpty: string;
  readonly forMarked: string;
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

const isMarked = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector, { key, forMarked }: Marks) =>
  Object.keys(matchLabels).length === 0 &&
  matchExpressions.length === 1 &&
  matchExpressions[0]?.key === key &&
  matchExpressions[0].operator === forMarked;

/**
 * A mark that no pod has says what the other version means by an empty selector, so that both keep their
 * meaning and both come back as they were.
 */
function converted(object: PodDisruptionBudget, marks: Marks): ApiObject {
  const { spec } = object;
  if (!spec?.selector) return object;
  if (isMarked(spec.selector, marks)) return { ...object, spec: { ...spec, selector: {} } };
  if (!isEmpty(spec.selector)) return object;
  const selector = { matchExpressions: [{ key: marks.key, operator: marks.forEmpty }] };
  return { ...object, spec: { ...spec, selector } };
}

const marksFor = (dialect: Dialect, forEmpty: string, forMarked: string): Marks => ({
  key: emptySelectorMark(dialect),
  forEmpty,
  forMarked,
});

export const podDisruptionBudgetV1beta1: KindDefinition = {
  ...sameShape(podDisruptionBudget, 'policy/v1beta1', {
    since: 21,
    removed: 25,
    replacement: { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' },
  }),
  conversion: {
    toStorage: (object: PodDisruptionBudget, dialect) => converted(object, marksFor(dialect, 'Exists', 'DoesNotExist')),
    fromStorage: (object: PodDisruptionBudget, dialect) =>
      converted(object, marksFor(dialect, 'DoesNotExist', 'Exists')),
  },
};
