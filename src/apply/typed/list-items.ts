// Items of a list by what tells them apart.

import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { keyElement, valueElement } from '../fields/element.ts';
import type { KeyedList, SetTopology } from './topology.ts';

/** An item that lacks every key of its list. */
export class MissingKeyError extends Error {}

/** The element of one item. */
export function elementOf(topology: KeyedList | SetTopology, item: unknown): string {
  if (topology.is === 'set') return valueElement(item as JsonValue);
  const { keys, defaults } = topology;
  if (!isJsonObject(item)) throw new MissingKeyError('associative list with keys may not have non-map elements');
  const element = keys.every((key) => item[key] !== undefined && item[key] !== null)
    ? keyElement(item, keys)
    : keyElement(withDefaults(item, keys, defaults), keys);
  if (element === 'k:{}') {
    const names = keys.map((key) => JSON.stringify(key)).join(', ');
    throw new MissingKeyError(`associative list with keys has an element that omits all key fields [${names}]`);
  }
  return element;
}

function withDefaults(
  item: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  defaults: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, item[key] ?? defaults[key]]));
}

/**
 * Items by element, in the order in which they first come. Stored lists may hold several items of one element, from
 * before their schema forbade it: these stand together.
 */
export function itemsByElement(topology: KeyedList | SetTopology, list: readonly unknown[]): Map<string, unknown[]> {
  const items = new Map<string, unknown[]>();
  list.forEach((item, index) => {
    const element = lenientElement(topology, item, index);
    const same = items.get(element);
    if (same === undefined) items.set(element, [item]);
    else same.push(item);
  });
  return items;
}

/** What is stored was accepted once: an item without keys is known by its place. */
export function lenientElement(topology: KeyedList | SetTopology, item: unknown, index: number): string {
  try {
    return elementOf(topology, item);
  } catch (error) {
    if (error instanceof MissingKeyError) return `i:${index}`;
    throw error;
  }
}
