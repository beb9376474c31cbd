// Which nodes a pod accepts, and which it prefers, by their labels and names.

import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Labels } from '../../meta/object.ts';

interface PlacedNode {
  readonly name: string;
  readonly labels: Labels;
}

export interface NodeWishes {
  accepts(node: PlacedNode): boolean;
  /** The points of the preferred terms that a node matches. */
  points(node: PlacedNode): number;
  /** The only nodes that can match, where the pod names them. */
  readonly onlyNodes: ReadonlySet<string> | undefined;
}

type NodeAffinity = NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>;
type Selector = NonNullable<NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']>;
type Term = NonNullable<Selector['nodeSelectorTerms']>[number];
type Requirement = NonNullable<Term['matchExpressions']>[number];

export function nodeWishesOf({ nodeSelector, affinity }: PodSpec): NodeWishes {
  const labels = Object.entries(nodeSelector ?? {});
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    accepts: (node) =>
      labels.every(([key, value]) => node.labels[key] === value) &&
      (required === undefined || matchesNode(required, node)),
    points: (node) =>
      preferred.reduce((sum, { weight = 0, preference = {} }) => sum + (matchesTerm(preference, node) ? weight : 0), 0),
    onlyNodes: required && namedNodes(required),
  };
}

/** Whether one of the terms of a selector matches. */
export const matchesNode = ({ nodeSelectorTerms = [] }: Selector, node: PlacedNode): boolean =>
  nodeSelectorTerms.some((term) => matchesTerm(term, node));

function matchesTerm({ matchExpressions = [], matchFields = [] }: Term, { name, labels }: PlacedNode): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const byLabel = (one: Requirement) => meets(one, labels[one.key ?? '']);
  return matchExpressions.every(byLabel) && matchFields.every((one) => one.key === 'metadata.name' && meets(one, name));
}

function meets({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return value !== undefined && compares(operator, value, values[0] ?? '');
    default:
      return false;
  }
}

const integer = /^-?\d{1,18}$/;

function compares(operator: 'Gt' | 'Lt', value: string, bound: string): boolean {
  if (!integer.test(value) || !integer.test(bound)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

/** Undefined unless every term names its nodes, as those of daemon sets do. */
function namedNodes({ nodeSelectorTerms = [] }: Selector): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const { matchFields = [] } of nodeSelectorTerms) {
    const byName = matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    if (byName === undefined) return undefined;
    for (const name of byName.values ?? []) names.add(name);
  }
  return names;
}
