// Field sets written under an older schema. What has become atomic belongs to all who owned a part of it; what
// has ceased to be so stays with its owners as it is, and its parts have no owners yet.

import { type FieldSet, isEmpty, leaf, self } from '../fields/field-set.ts';
import { itemTopology } from './named-fields.ts';
import { isAtomic, type Topology } from './topology.ts';

/** Sets that were found to be as their topology wants them: the same ones come again with every write of an object. */
const settled = new WeakMap<FieldSet, Topology>();

export function reconcile(topology: Topology, set: FieldSet): FieldSet {
  if (settled.get(set) === topology) return set;
  const result = reconcileItems(topology, set);
  settled.set(result, topology);
  return result;
}

function reconcileItems(topology: Topology, set: FieldSet): FieldSet {
  let result: Record<string, FieldSet> | undefined;
  for (const element in set) {
    if (element === self) continue;
    const node = set[element] as FieldSet;
    if (isEmpty(node)) continue;
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const next = reconcileNode(itemTopology(topology, name), node);
    if (next === node) continue;
    result ??= { ...set };
    result[element] = next;
  }
  return result ?? set;
}

function reconcileNode(topology: Topology | undefined, node: FieldSet): FieldSet {
  if (topology === undefined || topology.is === 'scalar') return node;
  return isAtomic(topology) ? leaf : reconcileItems(topology, node);
}
