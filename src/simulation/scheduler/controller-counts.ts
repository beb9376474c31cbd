// How many pods of a controller are in each domain of a label, such as a zone: counted once, and then kept up to date.

import type { NodeEntry } from './node-entry.ts';

interface Counted {
  readonly topologyKey: string;
  /** By the value of the label. */
  readonly sums: Map<string, number>;
}

export class ControllerCounts {
  readonly #counted = new Map<string, Counted>();

  of(controller: string, topologyKey: string, nodes: readonly NodeEntry[]): ReadonlyMap<string, number> {
    const counted = this.#counted.get(controller);
    if (counted?.topologyKey === topologyKey) return counted.sums;
    const sums = sumByValue(controller, topologyKey, nodes);
    this.#counted.set(controller, { topologyKey, sums });
    return sums;
  }

  /** A pod of the controller came to a node, or left it. */
  change(controller: string, { facts }: NodeEntry, by: 1 | -1): void {
    const counted = this.#counted.get(controller);
    const value = counted && facts.labels[counted.topologyKey];
    if (counted === undefined || value === undefined) return;
    const sum = (counted.sums.get(value) ?? 0) + by;
    if (sum > 0) counted.sums.set(value, sum);
    else counted.sums.delete(value);
    if (counted.sums.size === 0) this.#counted.delete(controller);
  }

  clear(): void {
    this.#counted.clear();
  }
}

export function sumByValue(controller: string, topologyKey: string, nodes: readonly NodeEntry[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { facts, byController } of nodes) {
    const count = byController.get(controller);
    const value = facts.labels[topologyKey];
    if (count !== undefined && value !== undefined) sums.set(value, (sums.get(value) ?? 0) + count);
  }
  return sums;
}
