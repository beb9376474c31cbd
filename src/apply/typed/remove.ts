// Taking fields out of an object.

import { isJsonObject, type JsonObject, setOwn } from '../../base/json/json.ts';
import { fieldElement } from '../fields/element.ts';
import { type FieldSet, isEmpty, self } from '../fields/field-set.ts';
import { elementOf } from './list-items.ts';
import { memberTopology } from './merge.ts';
import { isAtomic, type KeyedList, type SetTopology, type Topology } from './topology.ts';

/** The object without the fields and items in `gone`; nothing is taken out of a value that has one owner. */
export function removeFields(topology: Topology, object: object, gone: FieldSet): JsonObject {
  return (isEmpty(gone) ? object : (removeFrom(topology, object, gone) ?? {})) as JsonObject;
}

function removeFrom(topology: Topology, value: unknown, gone: FieldSet): unknown {
  if (isAtomic(topology)) return value;
  if (topology.is === 'set' || topology.is === 'keyed')
    return Array.isArray(value) ? removeItems(topology, value, gone) : value;
  return isJsonObject(value) ? removeMembers(topology, value, gone) : value;
}

const goesWhole = (node: FieldSet): boolean => node[self] !== undefined || isEmpty(node);

/** A list or an object of which nothing is left is null. */
function removeItems(topology: KeyedList | SetTopology, list: readonly unknown[], gone: FieldSet): unknown[] | null {
  const result: unknown[] = [];
  for (const item of list) {
    const node = gone[elementOf(topology, item)];
    if (node === undefined) result.push(item);
    else if (!goesWhole(node)) result.push(removeFrom(topology.of, item, node));
  }
  return result.length > 0 ? result : null;
}

function removeMembers(topology: Topology, object: JsonObject, gone: FieldSet): JsonObject | null {
  const result: JsonObject = {};
  let isBare = true;
  for (const key of Object.keys(object)) {
    const node = gone[fieldElement(key)];
    if (node !== undefined && goesWhole(node)) continue;
    const value = object[key];
    const left = node === undefined ? value : removeFrom(memberTopology(topology, key), value, node);
    setOwn(result, key, left as JsonObject);
    isBare = false;
  }
  return isBare ? null : result;
}
