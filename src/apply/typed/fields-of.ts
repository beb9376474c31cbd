// The fields that an applied configuration speaks of.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { fieldElement } from '../fields/element.ts';
import { emptySet, type FieldSet, isEmpty, leaf, type Mutable, withSelf } from '../fields/field-set.ts';
import { elementOf } from './list-items.ts';
import {
  fieldValue,
  isAtomic,
  type KeyedList,
  type SetTopology,
  type StructTopology,
  type Topology,
  untyped,
} from './topology.ts';

export function fieldsOf(topology: StructTopology, object: object): FieldSet {
  const fields = nodeOf(topology, object) ?? emptySet;
  const metadata = fields['f:metadata'];
  if (metadata === undefined || !isEmpty(metadata)) return fields;
  // metadata that says nothing has no owner: the server owns some of it
  const { 'f:metadata': _, ...others } = fields;
  return others;
}

/** Undefined where only the members of a value count, and it has none. */
function nodeOf(topology: Topology, value: unknown): FieldSet | undefined {
  if (isAtomic(topology)) return leaf;
  if (topology.is === 'set' || topology.is === 'keyed')
    return Array.isArray(value) ? itemsOf(topology, value) : undefined;
  if (isJsonObject(value)) return membersOf(topology, value);
  return topology.is === 'untyped' ? leaf : undefined;
}

function itemsOf(topology: KeyedList | SetTopology, list: readonly unknown[]): FieldSet | undefined {
  if (list.length === 0) return undefined;
  const node: Mutable = {};
  for (const item of list) {
    const element = elementOf(topology, item);
    node[element] = isSecond(node, element) ? leaf : withSelf(nodeOf(topology.of, item));
  }
  return node;
}

/** Items that nothing tells apart, as clients may still write them, are one as a whole. */
const isSecond = (node: Readonly<Record<string, FieldSet>>, element: string): boolean => node[element] !== undefined;

function membersOf(topology: Topology, value: JsonObject): FieldSet | undefined {
  const node: Mutable = {};
  let count = 0;
  const put = (element: string, member: FieldSet | undefined) => {
    if (member === undefined) return;
    node[element] = member;
    count++;
  };
  if (topology.is === 'struct') {
    for (const field of topology.tracked.all) {
      const { element, type } = field;
      const member = fieldValue(value, field);
      if (member !== undefined) put(element, isHollow(member) ? withSelf(nodeOf(type, member)) : nodeOf(type, member));
    }
  }
  if (topology.is !== 'struct' || topology.rest !== undefined) {
    const of = topology.is === 'map' ? topology.of : (topology.is === 'struct' && topology.rest) || untyped;
    for (const key of Object.keys(value)) {
      if (topology.is === 'struct' && topology.fields.has(key)) continue;
      put(fieldElement(key), withSelf(nodeOf(of, value[key])));
    }
  }
  return count === 0 ? undefined : node;
}

/** A declared field without fields of its own is spoken of by itself. */
const isHollow = (value: unknown): boolean =>
  value === null || (isJsonObject(value) && Object.keys(value).length === 0);
