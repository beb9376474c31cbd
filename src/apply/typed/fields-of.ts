// The fields that an applied configuration speaks of.

import { countValues, KnownKeys } from '../../base/count-values.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { Steps } from '../../base/steps.ts';
import { fieldElement } from '../fields/element.ts';
import { emptySet, type FieldSet, isEmpty, leaf, NodeBuilder, withSelf } from '../fields/field-set.ts';
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
  return ownable(nodeOf(topology, object));
}

/** The same in steps, for an object that may be large. */
export function* findingFields(topology: StructTopology, object: object): Steps<FieldSet> {
  return ownable(yield* new LargeWalk().node(topology, object));
}

/** Metadata that says nothing has no owner: the server owns some of it. */
function ownable(fields: FieldSet = emptySet): FieldSet {
  const { 'f:metadata': metadata, ...others } = fields;
  return metadata !== undefined && isEmpty(metadata) ? others : fields;
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
  const node: Record<string, FieldSet> = {};
  for (const item of list) {
    const element = elementOf(topology, item);
    node[element] = isSecond(node, element) ? leaf : withSelf(nodeOf(topology.of, item));
  }
  return node;
}

/** Items that nothing tells apart, as clients may still write them, are one as a whole. */
const isSecond = (node: Readonly<Record<string, FieldSet>>, element: string): boolean => node[element] !== undefined;

function membersOf(topology: Topology, value: JsonObject): FieldSet | undefined {
  const node: Record<string, FieldSet> = {};
  let count = 0;
  const put = (element: string, member: FieldSet | undefined) => {
    if (member === undefined) return;
    node[element] = member;
    count++;
  };
  if (topology.is === 'struct') {
    for (const field of topology.tracked) {
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

/** So many values are looked at in a fraction of a millisecond. */
const stepValues = 400;

/** After so many parts of a large value there is a rest, whatever is in them. */
const stepParts = 100;

/** As above, with a rest now and then where there is much to look at. */
class LargeWalk {
  readonly #keys = new KnownKeys();

  *node(topology: Topology, value: unknown): Steps<FieldSet | undefined> {
    if (isAtomic(topology) || countValues(value, stepValues, this.#keys) < stepValues) return nodeOf(topology, value);
    if (topology.is === 'set' || topology.is === 'keyed')
      return Array.isArray(value) ? yield* this.#items(topology, value) : undefined;
    return isJsonObject(value) ? yield* this.#members(topology, value) : nodeOf(topology, value);
  }

  *#items(topology: KeyedList | SetTopology, list: readonly unknown[]): Steps<FieldSet> {
    const result = new NodeBuilder();
    for (const [index, item] of list.entries()) {
      const element = elementOf(topology, item);
      result.put(element, isSecond(result.node, element) ? leaf : withSelf(yield* this.node(topology.of, item)));
      if (index % stepParts === 0) yield;
    }
    return result.node;
  }

  *#members(topology: Topology, value: JsonObject): Steps<FieldSet | undefined> {
    if (topology.is === 'struct' && topology.rest === undefined) return yield* this.#fields(topology, value);
    const isDeclared = (key: string) => topology.is === 'struct' && topology.fields.has(key);
    const of = topology.is === 'map' ? topology.of : (topology.is === 'struct' && topology.rest) || untyped;
    const declared = topology.is === 'struct' ? yield* this.#fields(topology, value) : undefined;
    const others = this.#keys.of(value).filter((key) => !isDeclared(key));
    const result = new NodeBuilder();
    for (const element of Object.keys(declared ?? {})) result.put(element, declared?.[element] as FieldSet);
    for (const [index, key] of others.entries()) {
      result.put(fieldElement(key), withSelf(yield* this.node(of, value[key])));
      if (index % stepParts === 0) yield;
    }
    return declared === undefined && others.length === 0 ? undefined : result.node;
  }

  *#fields(topology: StructTopology, value: JsonObject): Steps<FieldSet | undefined> {
    const node: Record<string, FieldSet> = {};
    let count = 0;
    for (const field of topology.tracked) {
      const member = fieldValue(value, field);
      if (member === undefined) continue;
      const found = yield* this.node(field.type, member);
      const own = countValues(member, 2, this.#keys) < 2 && isHollow(member) ? withSelf(found) : found;
      if (own === undefined) continue;
      node[field.element] = own;
      count++;
    }
    return count === 0 ? undefined : node;
  }
}

/** A declared field without fields of its own is spoken of by itself. */
const isHollow = (value: unknown): boolean =>
  value === null || (isJsonObject(value) && Object.keys(value).length === 0);
