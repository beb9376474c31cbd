// Merging an applied configuration into a live object: where both define a field, the applied value wins. Parts in which
// they agree stay the very parts of the live object: later steps see at a glance that nothing changed there.

import { isJsonObject, type JsonObject, setOwn } from '../../base/json.ts';
import { itemsByElement } from './list-items.ts';
import { isAtomic, type KeyedList, type SetTopology, type Topology, untyped } from './topology.ts';

export function merge(topology: Topology, live: object, applied: object): JsonObject {
  return mergeValues(topology, live, applied) as JsonObject;
}

function mergeValues(topology: Topology, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined || isAtomic(topology)) return applied;
  if (topology.is === 'set' || topology.is === 'keyed') return mergeLists(topology, live, applied);
  if (!isJsonObject(live)) return applied;
  if (isJsonObject(applied)) return mergeObjects(topology, live, applied);
  // null says nothing about fields that others have set
  return topology.is === 'untyped' || Object.keys(live).length === 0 ? applied : live;
}

function mergeObjects(topology: Topology, live: JsonObject, applied: JsonObject): JsonObject {
  let result: JsonObject | undefined;
  for (const key of Object.keys(applied)) {
    const current = Object.hasOwn(live, key) ? live[key] : undefined;
    const merged = mergeValues(memberTopology(topology, key), current, applied[key]);
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

function mergeLists(topology: KeyedList | SetTopology, live: unknown, applied: unknown): unknown {
  if (!Array.isArray(applied)) return Array.isArray(live) && live.length > 0 ? live : applied;
  if (!Array.isArray(live) || live.length === 0) return applied;
  const merged = new ListMerge(topology, live, applied).run();
  return merged.length === live.length && merged.every((item, index) => item === live[index]) ? live : merged;
}

/**
 * Items of the applied list keep their order among themselves, items that only the live list has keep theirs, and
 * where both lists have items in one order, the live ones stay between the same neighbours.
 */
class ListMerge {
  readonly #topology: KeyedList | SetTopology;
  readonly #live: ReadonlyMap<string, unknown[]>;
  readonly #applied: ReadonlyMap<string, unknown[]>;
  readonly #merged = new Set<string>();
  readonly #result: unknown[] = [];

  constructor(topology: KeyedList | SetTopology, live: readonly unknown[], applied: readonly unknown[]) {
    this.#topology = topology;
    this.#live = itemsByElement(topology, live);
    this.#applied = itemsByElement(topology, applied);
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
    this.#merged.add(element);
    const current = this.#live.get(element) ?? [];
    const [item] = this.#applied.get(element) as unknown[];
    // of several live items of one element none is the one that was meant: the applied item replaces them all
    this.#result.push(current.length === 1 ? mergeValues(this.#topology.of, current[0], item) : item);
  }
}
