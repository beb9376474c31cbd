// What differs between two objects of a type, as sets of fields.

import { isJsonObject, isSameJson, type JsonObject } from '../../base/json.ts';
import { fieldElement } from '../fields/element.ts';
import { emptySet, type FieldSet, leaf, self } from '../fields/field-set.ts';
import { itemsByElement, lenientElement } from './list-items.ts';
import {
  fieldValue,
  isAtomic,
  type KeyedList,
  type SetTopology,
  type StructTopology,
  type Topology,
  untyped,
} from './topology.ts';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compare(topology: StructTopology, before: object, after: object): Comparison {
  const delta = compareValues(topology, before, after);
  if (delta === undefined) return same;
  return { added: delta.added ?? emptySet, modified: delta.modified ?? emptySet, removed: delta.removed ?? emptySet };
}

const same: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

export const isSame = (comparison: Comparison): boolean => comparison === same;

/** One node of the three sets. */
interface Delta {
  readonly added?: FieldSet | undefined;
  readonly modified?: FieldSet | undefined;
  readonly removed?: FieldSet | undefined;
}

const modifiedLeaf: Delta = { modified: leaf };

/** Undefined where nothing differs. */
function compareValues(topology: Topology, before: unknown, after: unknown): Delta | undefined {
  if (before === after) return undefined;
  if (before === undefined) return { added: allFields(topology, after) };
  if (after === undefined) return { removed: allFields(topology, before) };
  if (isAtomic(topology) || (isHollow(before) && isHollow(after))) return compareLeaves(before, after);
  const changes = new Changes();
  if (topology.is === 'set' || topology.is === 'keyed') compareLists(topology, before, after, changes);
  else if (topology.is === 'untyped' && !(isJsonObject(before) && isJsonObject(after)))
    return compareLeaves(before, after);
  else compareObjects(topology, asObject(before), asObject(after), changes);
  return changes.delta;
}

function compareLeaves(before: unknown, after: unknown): Delta | undefined {
  return isSameJson(before, after) ? undefined : modifiedLeaf;
}

/** Null and empty differ from each other, and from nothing else that has fields. */
const isHollow = (value: unknown): boolean =>
  value === null || (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && !hasKeys(value));

function hasKeys(object: object): boolean {
  for (const _ in object) return true;
  return false;
}

const noObject: JsonObject = {};
const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : noObject);
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function compareObjects(topology: Topology, before: JsonObject, after: JsonObject, changes: Changes): void {
  if (topology.is === 'struct') {
    for (const field of topology.tracked) {
      const was = fieldValue(before, field);
      const is = fieldValue(after, field);
      if (was !== is) changes.add(field.element, compareValues(field.type, was, is));
    }
    if (topology.rest === undefined) return;
  }
  const of = memberType(topology);
  const skip = topology.is === 'struct' ? topology.fields : undefined;
  for (const key of Object.keys(after)) {
    if (skip?.has(key)) continue;
    changes.add(fieldElement(key), compareValues(of, own(before, key), after[key]));
  }
  for (const key of Object.keys(before)) {
    if (skip?.has(key) || Object.hasOwn(after, key)) continue;
    changes.add(fieldElement(key), compareValues(of, before[key], undefined));
  }
}

const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);

/** The type of members that no struct declares. */
function memberType(topology: Topology): Topology {
  if (topology.is === 'map') return topology.of;
  return (topology.is === 'struct' ? topology.rest : undefined) ?? untyped;
}

function compareLists(topology: KeyedList | SetTopology, before: unknown, after: unknown, changes: Changes): void {
  const was = itemsByElement(topology, asList(before));
  const is = itemsByElement(topology, asList(after));
  for (const [element, items] of is) changes.add(element, compareItems(topology, was.get(element), items));
  for (const [element, items] of was)
    if (!is.has(element)) changes.add(element, compareItems(topology, items, undefined));
}

/** Several items of one element are compared as a whole. */
function compareItems(
  topology: KeyedList | SetTopology,
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
): Delta | undefined {
  if ((before?.length ?? 1) === 1 && (after?.length ?? 1) === 1) {
    return compareValues(topology.of, before?.[0], after?.[0]);
  }
  if (before === undefined) return { added: leaf };
  return after === undefined ? { removed: leaf } : compareLeaves(before, after);
}

/** Collects the deltas of the members of a value. */
class Changes {
  #added: Record<string, FieldSet> | undefined;
  #modified: Record<string, FieldSet> | undefined;
  #removed: Record<string, FieldSet> | undefined;

  add(element: string, delta: Delta | undefined): void {
    if (delta === undefined) return;
    const { added, modified, removed } = delta;
    if (added !== undefined) this.#added = put(this.#added, element, added);
    if (modified !== undefined) this.#modified = put(this.#modified, element, modified);
    if (removed !== undefined) this.#removed = put(this.#removed, element, removed);
  }

  get delta(): Delta | undefined {
    if ((this.#added ?? this.#modified ?? this.#removed) === undefined) return undefined;
    return { added: this.#added, modified: this.#modified, removed: this.#removed };
  }
}

/** No literal with a computed name: that takes several times as long. */
function put(fields: Record<string, FieldSet> = {}, element: string, node: FieldSet): Record<string, FieldSet> {
  fields[element] = node;
  return fields;
}

/** A value that was not there before, or is no longer: itself and every field in it. */
function allFields(topology: Topology, value: unknown): FieldSet {
  if (isAtomic(topology) || isHollow(value)) return leaf;
  const fields: Record<string, FieldSet> = { [self]: leaf };
  if (topology.is === 'set' || topology.is === 'keyed') listFields(topology, asList(value), fields);
  else if (isJsonObject(value)) return objectFields(topology, value, fields) ? fields : leaf;
  else return leaf;
  return asList(value).length > 0 ? fields : leaf;
}

/** Whether there were any. They are not looked for afterwards: looking for one key of many takes as long as for all. */
function objectFields(topology: Topology, value: JsonObject, fields: Record<string, FieldSet>): boolean {
  let found = false;
  if (topology.is === 'struct') {
    for (const field of topology.tracked) {
      const member = fieldValue(value, field);
      if (member === undefined) continue;
      fields[field.element] = allFields(field.type, member);
      found = true;
    }
    if (topology.rest === undefined) return found;
  }
  const of = memberType(topology);
  const skip = topology.is === 'struct' ? topology.fields : undefined;
  for (const key of Object.keys(value)) {
    if (skip?.has(key)) continue;
    fields[fieldElement(key)] = allFields(of, value[key]);
    found = true;
  }
  return found;
}

function listFields(
  topology: KeyedList | SetTopology,
  list: readonly unknown[],
  fields: Record<string, FieldSet>,
): void {
  list.forEach((item, index) => {
    const element = lenientElement(topology, item, index);
    fields[element] = fields[element] === undefined ? allFields(topology.of, item) : leaf;
  });
}
