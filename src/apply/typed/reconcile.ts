// Field sets written under an older schema. What has become atomic belongs to all who owned a part of it; what
// has ceased to be so stays with its owners as it is, and its parts have no owners yet.

import type { Steps } from '../../base/steps.ts';
import { type FieldSet, isEmpty, isLarge, keysOf, leaf, type Mutable, NodeBuilder, self } from '../fields/field-set.ts';
import { copying, isRestDue } from '../fields/field-set-steps.ts';
import { itemTopology } from './named-fields.ts';
import { isAtomic, type Topology } from './topology.ts';

/** Sets that were found to be as their topology wants them: the same ones come again with every write of an object. */
const settled = new WeakMap<FieldSet, Topology>();

export function* reconciling(topology: Topology, set: FieldSet): Steps<FieldSet> {
  if (settled.get(set) === topology) return set;
  const result = isLarge(set) ? yield* reconcilingItems(topology, set) : reconcileItems(topology, set);
  settled.set(result, topology);
  return result;
}

function reconcileItems(topology: Topology, set: FieldSet): FieldSet {
  let result: Mutable | undefined;
  for (const element in set) {
    const node = set[element] as FieldSet;
    const next = reconcileNode(topologyBelow(topology, element, node), node);
    if (next === node) continue;
    result ??= { ...set };
    result[element] = next;
  }
  return result ?? set;
}

function reconcileNode(topology: Topology | undefined, node: FieldSet): FieldSet {
  if (topology === undefined) return node;
  return isAtomic(topology) ? leaf : reconcileItems(topology, node);
}

/** Undefined where the schema has nothing to say about what is below an element. */
function topologyBelow(topology: Topology, element: string, node: FieldSet): Topology | undefined {
  if (element === self || isEmpty(node)) return undefined;
  const of = itemTopology(topology, element.startsWith('f:') ? element.slice(2) : undefined);
  return of?.is === 'scalar' ? undefined : of;
}

function* reconcilingItems(topology: Topology, set: FieldSet): Steps<FieldSet> {
  yield;
  const changed = new NodeBuilder();
  for (const [index, element] of keysOf(set).entries()) {
    const node = set[element] as FieldSet;
    const isLong = isLarge(node);
    const below = topologyBelow(topology, element, node);
    const isWalked = isLong && below !== undefined && !isAtomic(below);
    const next = isWalked ? yield* reconcilingItems(below, node) : reconcileNode(below, node);
    if (next !== node) changed.put(element, next);
    if (isRestDue(index)) yield;
  }
  if (changed.count === 0) return set;
  const result = new NodeBuilder();
  yield* copying(set, result);
  yield* copying(changed.node, result);
  return result.node;
}
