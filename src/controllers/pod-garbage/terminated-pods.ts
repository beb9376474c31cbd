// Pods that have ended, and which of them are too many.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { isTerminatedPhase } from './glance.ts';

interface TerminatedPod {
  readonly isEvicted: boolean;
  readonly createdMs: number;
  readonly name: string;
}

export class TerminatedPods {
  /** By path. */
  readonly #pods = new Map<string, TerminatedPod>();

  get size(): number {
    return this.#pods.size;
  }

  /** Remembers a pod if it has ended. */
  see(path: string, { metadata, status = {} }: Pod): void {
    if (!isTerminatedPhase(status.phase)) {
      this.#pods.delete(path);
      return;
    }
    this.#pods.set(path, {
      isEvicted: status.phase === 'Failed' && status.reason === 'Evicted',
      createdMs: Date.parse(metadata.creationTimestamp ?? '') || 0,
      name: metadata.name ?? '',
    });
  }

  forget(path: string): void {
    this.#pods.delete(path);
  }

  clear(): void {
    this.#pods.clear();
  }

  /** Paths of pods above the limit: evicted pods first, then the oldest. */
  above(limit: number): readonly string[] {
    const count = this.#pods.size - limit;
    if (count <= 0) return [];
    const sorted = [...this.#pods].sort(([, a], [, b]) => compare(a, b));
    return sorted.slice(0, count).map(([path]) => path);
  }
}

function compare(a: TerminatedPod, b: TerminatedPod): number {
  if (a.isEvicted !== b.isEvicted) return a.isEvicted ? -1 : 1;
  if (a.createdMs !== b.createdMs) return a.createdMs - b.createdMs;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
