// Sets seldom hold the declared fields on the way to what they hold. To take a field out of an object with all that is
// in it, they have to.

import { type FieldSet, leaf, type Mutable, self, withSelf } from '../fields/field-set.ts';
import { memberTopology } from './merge.ts';
import type { StructTopology, Topology } from './topology.ts';

/** The set and every declared field that leads to something in it. */
export function withNamedFields(topology: Topology, node: FieldSet): FieldSet {
  const result: Mutable = {};
  for (const element in node) {
    const { of, isDeclared } = memberOf(topology, element);
    const child = node[element] as FieldSet;
    const inner = of === undefined ? child : withNamedFields(of, child);
    result[element] = isDeclared ? withSelf(inner) : inner;
  }
  return result;
}

interface Member {
  readonly of: Topology | undefined;
  readonly isDeclared: boolean;
}

function memberOf(topology: Topology, element: string): Member {
  if (element === self) return { of: undefined, isDeclared: false };
  const name = element.startsWith('f:') ? element.slice(2) : undefined;
  const isDeclared = name !== undefined && topology.is === 'struct' && topology.fields.has(name);
  return { of: itemTopology(topology, name), isDeclared };
}

/**
 * Fields of an object that hold something no manager can own, such as its name: they stay when all else in them goes.
 * A configuration that says nothing of such a field has it removed with the last that was owned there.
 */
export function partlyOwned({ fields }: StructTopology, config: object): FieldSet {
  const result: Record<string, FieldSet> = {};
  for (const [name, { element, type }] of fields) {
    const holdsMore = type.is === 'struct' && type.tracked.length < type.fields.size;
    if (holdsMore && Object.hasOwn(config, name)) result[element] = leaf;
  }
  return result;
}

/** The topology below an element; undefined where it does not fit the type. */
export function itemTopology(topology: Topology, name: string | undefined): Topology | undefined {
  if (name !== undefined) return memberTopology(topology, name);
  return topology.is === 'set' || topology.is === 'keyed' || topology.is === 'list' ? topology.of : undefined;
}
