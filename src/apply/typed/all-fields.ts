// Every field of a value that was not there before, or is no longer.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { fieldElement } from '../fields/element.ts';
import { type FieldSet, leaf, type Mutable, self } from '../fields/field-set.ts';
import { elementOf } from './list-items.ts';
import { fieldValue, isAtomic, type KeyedList, type SetTopology, type Topology, untyped } from './topology.ts';

/** The value itself and every field in it. */
export function allFields(topology: Topology, value: unknown): FieldSet {
  if (isAtomic(topology)) return leaf;
  if (topology.is === 'set' || topology.is === 'keyed') return allItems(topology, asList(value));
  if (!isJsonObject(value)) return leaf;
  const fields: Mutable = { [self]: leaf };
  return addFields(topology, value, fields) ? fields : leaf;
}

function allItems(topology: KeyedList | SetTopology, list: readonly unknown[]): FieldSet {
  if (list.length === 0) return leaf;
  const fields: Mutable = { [self]: leaf };
  for (const item of list) {
    const element = elementOf(topology, item);
    fields[element] = fields[element] === undefined ? allFields(topology.of, item) : leaf;
  }
  return fields;
}

/** Every field in a map or struct, without itself. */
export function fieldsBelow(topology: Topology, value: JsonObject): FieldSet {
  const fields: Mutable = {};
  addFields(topology, value, fields);
  return fields;
}

/** Whether there were any. They are not looked for afterwards: looking for one key of many takes as long as for all. */
function addFields(topology: Topology, value: JsonObject, fields: Mutable): boolean {
  let isFull = false;
  if (topology.is === 'struct') {
    for (const field of topology.tracked.in(value)) {
      const member = fieldValue(value, field);
      if (member === undefined) continue;
      fields[field.element] = allFields(field.type, member);
      isFull = true;
    }
    if (topology.rest === undefined) return isFull;
  }
  const of = memberType(topology);
  const skip = topology.is === 'struct' ? topology.fields : undefined;
  for (const key of Object.keys(value)) {
    if (skip?.has(key)) continue;
    fields[fieldElement(key)] = allFields(of, value[key]);
    isFull = true;
  }
  return isFull;
}

/** Null and empty differ from each other, and from nothing else that has fields. */
export const isHollow = (value: unknown): boolean =>
  value === null || (Array.isArray(value) ? value.length === 0 : isJsonObject(value) && !hasKeys(value));

function hasKeys(object: object): boolean {
  for (const _ in object) return true;
  return false;
}

const noObject: JsonObject = {};
export const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : noObject);
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The type of members that no struct declares. */
export function memberType(topology: Topology): Topology {
  if (topology.is === 'map') return topology.of;
  return (topology.is === 'struct' ? topology.rest : undefined) ?? untyped;
}
