// Sets seldom hold the declared fields on the way to what they hold. To take a field out of an object with all that is
// in it, they have to.

import { type FieldSet, isEmpty, leaf, type Mutable, self } from '../fields/field-set.ts';
import { memberTopology } from './merge.ts';
import type { StructTopology, Topology } from './topology.ts';

/** The set and every declared field that leads to something in it; `isDeclared`: the node is one. */
export function withNamedFields(topology: Topology, node: FieldSet, isDeclared = false): FieldSet {
  if (isEmpty(node)) return node;
  const result: Mutable = isDeclared ? { [self]: leaf } : {};
  for (const element in node) {
    const child = node[element] as FieldSet;
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const of = element === self ? undefined : itemTopology(topology, name);
    const isField = name !== undefined && topology.is === 'struct' && topology.fields.has(name);
    result[element] = of === undefined ? child : withNamedFields(of, child, isField);
  }
  return result;
}

/**
 * Fields of an object that hold something no manager can own, such as its name: they stay when all else in them goes.
 * A configuration that says nothing of such a field has it removed with the last that was owned there.
 */
export function partlyOwned({ fields }: StructTopology, config: object): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [name, { element, type }] of fields) {
    const holdsMore = type.is === 'struct' && type.tracked.all.length < type.fields.size;
    if (holdsMore && Object.hasOwn(config, name)) result[element] = leaf;
  }
  return result;
}

/** The topology below an element; undefined where it does not fit the type. */
export function itemTopology(topology: Topology, name: string | undefined): Topology | undefined {
  if (name !== undefined) return memberTopology(topology, name);
  return topology.is === 'set' || topology.is === 'keyed' || topology.is === 'list' ? topology.of : undefined;
}
