// Merging an applied configuration into a live object: where both define a field, the applied value wins. Parts in which
// they agree stay the very parts of the live object: later steps see at a glance that nothing changed there.

import { isJsonObject, type JsonObject, setOwn } from '../../base/json/json.ts';
import { itemsByElement } from './list-items.ts';
import { isAtomic, type KeyedList, type SetTopology, type Topology, untyped } from './topology.ts';

export function merge(topology: Topology, live: object, applied: object): JsonObject {
  return mergeValues(topology, live, applied) as JsonObject;
}

/** Of values that may be merged. */
function mergeValues(topology: Topology, live: unknown, applied: unknown): unknown {
  if (topology.is === 'set' || topology.is === 'keyed')
    return mergeLists(topology, live as readonly unknown[], applied as readonly unknown[]);
  return mergeObjects(topology, live as JsonObject, applied as JsonObject);
}

/** Whether both have members of which each may have its own say. */
function mayMerge(topology: Topology, live: unknown, applied: unknown): boolean {
  if (topology.is === 'set' || topology.is === 'keyed')
    return Array.isArray(live) && live.length > 0 && Array.isArray(applied);
  return !isAtomic(topology) && isJsonObject(live) && isJsonObject(applied);
}

/** What becomes of two values that have no members to merge. */
function chosen(topology: Topology, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined || isAtomic(topology)) return applied;
  if (topology.is === 'set' || topology.is === 'keyed')
    return !Array.isArray(applied) && Array.isArray(live) && live.length > 0 ? live : applied;
  // null says nothing about fields that others have set
  return !isJsonObject(live) || topology.is === 'untyped' || Object.keys(live).length === 0 ? applied : live;
}

function mergeObjects(topology: Topology, live: JsonObject, applied: JsonObject): JsonObject {
  let result: JsonObject | undefined;
  for (const key of Object.keys(applied)) {
    const current = Object.hasOwn(live, key) ? live[key] : undefined;
    const member = memberTopology(topology, key);
    const next = applied[key];
    const merged = mayMerge(member, current, next) ? mergeValues(member, current, next) : chosen(member, current, next);
    if (merged === current) continue;
    result ??= { ...live };
    setOwn(result, key, merged as JsonObject);
  }
  return result ?? live;
}

/** The topology of a member; what no schema declares is untyped. */
export function memberTopology(topology: Topology, key: string): Topology {
  if (topology.is === 'struct') return topology.fields.get(key)?.type ?? topology.rest ?? untyped;
  return topology.is === 'map' ? topology.of : untyped;
}

function mergeLists(
  topology: KeyedList | SetTopology,
  live: readonly unknown[],
  applied: readonly unknown[],
): readonly unknown[] {
  const merged = new ListMerge(topology, itemsByElement(topology, live), itemsByElement(topology, applied)).run();
  return merged.length === live.length && merged.every((item, index) => item === live[index]) ? live : merged;
}

type Items = ReadonlyMap<string, unknown[]>;

/**
 * Items of the applied list keep their order among themselves, items that only the live list has keep theirs, and
 * where both lists have items in one order, the live ones stay between the same neighbours.
 */
class ListMerge {
  readonly #topology: KeyedList | SetTopology;
  readonly #live: Items;
  readonly #applied: Items;
  readonly #merged = new Set<string>();
  readonly #result: unknown[] = [];

  constructor(topology: KeyedList | SetTopology, live: Items, applied: Items) {
    this.#topology = topology;
    this.#live = live;
    this.#applied = applied;
  }

  run(): readonly unknown[] {
    const live = [...this.#live.keys()];
    const applied = [...this.#applied.keys()];
    const shared = applied.filter((element) => this.#live.has(element));
    let next = 0;
    let at = 0;
    for (const element of applied) {
      at = this.#takeUntil(live, at, element, shared[next]);
      this.#mergeItem(element);
      if (live[at] === element) at++;
      if (shared[next] === element) next++;
    }
    this.#takeUntil(live, at, undefined, undefined);
    return this.#result;
  }

  /** Takes live items from `at` on until one that has to wait for its place in the applied list. */
  #takeUntil(live: readonly string[], at: number, element: string | undefined, next: string | undefined): number {
    let i = at;
    for (; i < live.length; i++) {
      const here = live[i] as string;
      if (here === element) return i;
      if (!this.#applied.has(here)) this.#result.push(...(this.#live.get(here) as unknown[]));
      else if (!this.#merged.has(here) && here === next) return i;
    }
    return i;
  }

  #mergeItem(element: string): void {
    const { of } = this.#topology;
    this.#merged.add(element);
    const current = this.#live.get(element) ?? [];
    const [item] = this.#applied.get(element) as unknown[];
    // of several live items of one element none is the one that was meant: the applied item replaces them all
    if (current.length !== 1) this.#result.push(item);
    else if (!mayMerge(of, current[0], item)) this.#result.push(chosen(of, current[0], item));
    else this.#result.push(mergeValues(of, current[0], item));
  }
}
