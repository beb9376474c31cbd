// Label keys in placement rules stand for the values that the pod itself has: they are written out when it is made.

import type { Infer } from '../../../../schema/types.ts';
import type { LabelSelector } from '../../../meta/v1/label-selector.ts';
import type { podAffinity, podAffinityTerm } from './affinity.ts';
import type { PodSpec } from './pod-spec.ts';

type PodAffinity = Infer<typeof podAffinity>;
type PodAffinityTerm = Infer<typeof podAffinityTerm>;
type Labels = Readonly<Record<string, string>>;

export function withLabelKeys(spec: PodSpec, labels: Labels): PodSpec {
  const { affinity, topologySpreadConstraints: spread } = spec;
  const { podAffinity: near, podAntiAffinity: far } = affinity ?? {};
  return {
    ...spec,
    ...(near || far
      ? {
          affinity: {
            ...affinity,
            ...(near ? { podAffinity: affinityWithKeys(near, labels) } : {}),
            ...(far ? { podAntiAffinity: affinityWithKeys(far, labels) } : {}),
          },
        }
      : {}),
    ...(spread
      ? { topologySpreadConstraints: spread.map((one) => withSelector(one, labels, one.matchLabelKeys, undefined)) }
      : {}),
  };
}

function affinityWithKeys(given: PodAffinity, labels: Labels): PodAffinity {
  const required = given.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = given.preferredDuringSchedulingIgnoredDuringExecution;
  const withKeys = (term: PodAffinityTerm) => withSelector(term, labels, term.matchLabelKeys, term.mismatchLabelKeys);
  return {
    ...(required ? { requiredDuringSchedulingIgnoredDuringExecution: required.map(withKeys) } : {}),
    ...(preferred
      ? {
          preferredDuringSchedulingIgnoredDuringExecution: preferred.map((one) => ({
            ...one,
            ...(one.podAffinityTerm ? { podAffinityTerm: withKeys(one.podAffinityTerm) } : {}),
          })),
        }
      : {}),
  };
}

function withSelector<T extends { readonly labelSelector?: LabelSelector }>(
  term: T,
  labels: Labels,
  match: readonly string[] = [],
  mismatch: readonly string[] = [],
): T {
  if (term.labelSelector === undefined) return term;
  const requirements = (keys: readonly string[], operator: string) =>
    keys.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key] as string] }));
  const added = [...requirements(match, 'In'), ...requirements(mismatch, 'NotIn')];
  if (added.length === 0) return term;
  const { matchExpressions = [] } = term.labelSelector;
  return { ...term, labelSelector: { ...term.labelSelector, matchExpressions: [...matchExpressions, ...added] } };
}
