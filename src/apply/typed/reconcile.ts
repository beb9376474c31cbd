// Field sets written under an older schema. What has become atomic belongs to all who owned a part of it; what
// has ceased to be so stays with its owners as it is, and its parts have no owners yet.

import { type FieldSet, isEmpty, leaf, type Mutable, self } from '../fields/field-set.ts';
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
