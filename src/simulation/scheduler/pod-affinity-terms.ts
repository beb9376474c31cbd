// Affinity of pods to other pods, with selectors that are ready to be compared.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { selecting } from '../../groups/meta/v1/label-selector.ts';
import type { Labels } from '../../meta/object.ts';

export interface AffinityTerm {
  readonly topologyKey: string;
  /** Of a preferred term; 0 for required ones. */
  readonly weight: number;
  /** Whether the term is about a pod; `namespaceLabels` are those of the namespace of that pod. */
  matches(pod: OtherPod, namespaceLabels: Labels): boolean;
}

interface OtherPod {
  readonly namespace: string;
  readonly labels: Labels;
}

export interface AffinityTerms {
  readonly required: readonly AffinityTerm[];
  readonly requiredAnti: readonly AffinityTerm[];
  readonly preferred: readonly AffinityTerm[];
  readonly preferredAnti: readonly AffinityTerm[];
}

type Affinity = NonNullable<NonNullable<NonNullable<Pod['spec']>['affinity']>['podAffinity']>;
type Term = NonNullable<Affinity['requiredDuringSchedulingIgnoredDuringExecution']>[number];

export function affinityTermsOf({ metadata, spec }: Pod): AffinityTerms | undefined {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return undefined;
  const { namespace = '' } = metadata;
  const required = ({ requiredDuringSchedulingIgnoredDuringExecution: terms = [] }: Affinity = {}) =>
    terms.map((term) => termOf(term, namespace, 0));
  const preferred = ({ preferredDuringSchedulingIgnoredDuringExecution: terms = [] }: Affinity = {}) =>
    terms.map(({ podAffinityTerm = {}, weight = 0 }) => termOf(podAffinityTerm, namespace, weight));
  return {
    required: required(podAffinity),
    requiredAnti: required(podAntiAffinity),
    preferred: preferred(podAffinity),
    preferredAnti: preferred(podAntiAffinity),
  };
}

function termOf(term: Term, ownNamespace: string, weight: number): AffinityTerm {
  const { topologyKey = '', labelSelector, namespaces = [], namespaceSelector } = term;
  const isOwn = namespaces.length === 0 && namespaceSelector === undefined;
  const names = new Set(isOwn ? [ownNamespace] : namespaces);
  const selectsNamespace = namespaceSelector === undefined ? () => false : selecting(namespaceSelector);
  const selectsPod = labelSelector === undefined ? () => false : selecting(labelSelector);
  return {
    topologyKey,
    weight,
    matches: ({ namespace, labels }, namespaceLabels) =>
      (names.has(namespace) || selectsNamespace(namespaceLabels)) && selectsPod(labels),
  };
}
