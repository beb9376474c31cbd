// Sets seldom hold the declared fields on the way to what they hold. To take a field out of an object with all that is
// in it, they have to.

import { type FieldSet, leaf, self, withSelf } from '../fields/field-set.ts';
import { memberTopology } from './merge.ts';
import type { StructTopology, Topology } from './topology.ts';

/** The set and every declared field that leads to something in it. */
export function withNamedFields(topology: Topology, node: FieldSet): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const element in node) {
    const child = node[element] as FieldSet;
    if (element === self) {
      result[element] = child;
      continue;
    }
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const of = itemTopology(topology, name);
    const inner = of === undefined ? child : withNamedFields(of, child);
    const isDeclared = name !== undefined && topology.is === 'struct' && topology.fields.has(name);
    result[element] = isDeclared ? withSelf(inner) : inner;
  }
  return result;
}

/** Fields of an object that hold something no manager can own, such as its name: they stay when all else in them goes. */
export function partlyOwned({ fields }: StructTopology): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const { element, type } of fields.values()) {
    if (type.is === 'struct' && type.tracked.length < type.fields.size) result[element] = leaf;
  }
  return result;
}

/** The topology below an element; undefined where it does not fit the type. */
export function itemTopology(topology: Topology, name: string | undefined): Topology | undefined {
  if (name !== undefined) return memberTopology(topology, name);
  return topology.is === 'set' || topology.is === 'keyed' || topology.is === 'list' ? topology.of : undefined;
}
