// Items of a list by what tells them apart.

import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../../base/json/json.ts';
import { valueElement } from '../fields/element.ts';
import type { KeyedList, SetTopology } from './topology.ts';

/** An item that nothing tells from others: its object has no fields that managers could own. */
export class MissingKeyError extends Error {}

/** The element of one item. */
export function elementOf(topology: KeyedList | SetTopology, item: unknown): string {
  if (topology.is === 'set') return setElement(item);
  if (item === null) throw new MissingKeyError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new MissingKeyError('associative list with keys may not have non-map elements');
  const element = keyedElement(topology, item);
  if (element === 'k:{}') {
    const names = topology.keys.map((key) => JSON.stringify(key)).join(' ');
    throw new MissingKeyError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return element;
}

function setElement(item: unknown): string {
  if (typeof item !== 'object') return valueElement(item as JsonValue);
  if (item === null) throw new MissingKeyError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new MissingKeyError('not supported: associative list with lists as elements');
  throw new MissingKeyError("associative list without keys has an element that's a map type");
}

/** Every item of a list passes here several times in an apply, so nothing is made but the text. */
function keyedElement({ keys, labels, defaults }: KeyedList, item: JsonObject): string {
  let text = '';
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const value = item[key] ?? defaults[key];
    if (value === undefined) continue;
    if (text !== '') text += ',';
    text += labels[i] + (typeof value === 'number' ? String(value) : stringifyJson(value));
  }
  return `k:{${text}}`;
}

/**
 * Items by element, in the order in which they first come. Stored lists may hold several items of one element, from
 * before their schema forbade it: these stand together.
 */
export function itemsByElement(topology: KeyedList | SetTopology, list: readonly unknown[]): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  for (const item of list) {
    const element = elementOf(topology, item);
    const same = items.get(element);
    if (same === undefined) items.set(element, [item]);
    else same.push(item);
  }
  return items;
}
