// Taking fields out of an object.

import { isJsonObject, type JsonObject, setOwn } from '../../base/json.ts';
import type { Steps } from '../../base/steps.ts';
import { fieldElement } from '../fields/element.ts';
import { type FieldSet, isEmpty, self } from '../fields/field-set.ts';
import { isRestDue } from '../fields/field-set-steps.ts';
import { elementOf } from './list-items.ts';
import { memberTopology } from './merge.ts';
import { isAtomic, type KeyedList, type SetTopology, type Topology } from './topology.ts';

/** The object without the fields and items in `gone`; nothing is taken out of a value that has one owner. */
export function* removingFields(topology: Topology, object: object, gone: FieldSet): Steps<JsonObject> {
  return (isEmpty(gone) ? object : ((yield* removingFrom(topology, object, gone)) ?? {})) as JsonObject;
}

function* removingFrom(topology: Topology, value: unknown, gone: FieldSet): Steps<unknown> {
  if (isAtomic(topology)) return value;
  if (topology.is === 'set' || topology.is === 'keyed')
    return Array.isArray(value) ? yield* removingItems(topology, value, gone) : value;
  return isJsonObject(value) ? yield* removingMembers(topology, value, gone) : value;
}

const goesWhole = (node: FieldSet): boolean => node[self] !== undefined || isEmpty(node);

/** A list or an object of which nothing is left is null. */
function* removingItems(
  topology: KeyedList | SetTopology,
  list: readonly unknown[],
  gone: FieldSet,
): Steps<unknown[] | null> {
  const result: unknown[] = [];
  for (const [index, item] of list.entries()) {
    const node = gone[elementOf(topology, item)];
    if (node === undefined) result.push(item);
    else if (!goesWhole(node)) result.push(yield* removingFrom(topology.of, item, node));
    if (isRestDue(index)) yield;
  }
  return result.length > 0 ? result : null;
}

function* removingMembers(topology: Topology, object: JsonObject, gone: FieldSet): Steps<JsonObject | null> {
  const result: JsonObject = {};
  let isBare = true;
  for (const [index, key] of Object.keys(object).entries()) {
    if (isRestDue(index)) yield;
    const node = gone[fieldElement(key)];
    if (node !== undefined && goesWhole(node)) continue;
    const value = object[key];
    const left = node === undefined ? value : yield* removingFrom(memberTopology(topology, key), value, node);
    setOwn(result, key, left as JsonObject);
    isBare = false;
  }
  return isBare ? null : result;
}
