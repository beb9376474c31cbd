// Pods that wait for a node: those to be tried now, by priority, and those that failed, which wait for a change of the
// cluster and for the end of a pause that grows with each attempt.

import type { Clock } from '../../base/time/clock.ts';
import { type Deadline, Deadlines } from '../../base/time/deadlines.ts';

const firstPauseMs = 1000;
const longestPauseMs = 10_000;
/** A pod that failed is tried again after this time, whatever happens. */
const longestWaitMs = 5 * 60_000;

/** A pod that failed once is tried again as soon as the cluster has changed. */
function pauseAfter(attempts: number): number {
  return attempts === 1 ? 0 : Math.min(firstPauseMs * 2 ** Math.min(attempts - 2, 10), longestPauseMs);
}

interface Failed {
  readonly key: string;
  readonly attempts: number;
  readonly since: number;
  /** Another attempt may succeed. */
  isHopeful: boolean;
  deadline: Deadline | undefined;
}

interface QueueOptions {
  readonly clock: Clock;
  /** A pod is ready to be tried. */
  onReady(key: string): void;
}

export class PodQueue {
  readonly #options: QueueOptions;
  readonly #deadlines: Deadlines;
  /** Keys to be tried, by priority; the order in which they came counts within one. */
  readonly #ready = new Map<number, Set<string>>();
  readonly #priorities = new Map<string, number>();
  readonly #failed = new Map<string, Failed>();
  readonly #attempts = new Map<string, number>();

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines(options.clock);
  }

  /** To be tried at once. */
  add(key: string, priority: number): void {
    this.#dropFailed(key);
    if (this.#priorities.has(key)) return;
    this.#priorities.set(key, priority);
    const ofPriority = this.#ready.get(priority) ?? new Set();
    this.#ready.set(priority, ofPriority.add(key));
    this.#options.onReady(key);
  }

  /** The most important of the pods to be tried. */
  next(): string | undefined {
    if (this.#priorities.size === 0) return undefined;
    const highest = Math.max(...this.#ready.keys());
    const [key] = this.#ready.get(highest) as Set<string>;
    if (key !== undefined) this.#dropReady(key);
    return key;
  }

  /** No node was found: the pod waits. */
  fail(key: string, priority: number): void {
    const attempts = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempts);
    const failed: Failed = {
      ...{ key, attempts, isHopeful: false, deadline: undefined },
      since: this.#options.clock.now(),
    };
    this.#dropFailed(key);
    this.#failed.set(key, failed);
    this.#wait(failed, priority, longestWaitMs);
  }

  /** Keys of the pods to be tried. */
  readyKeys(): Iterable<string> {
    return this.#priorities.keys();
  }

  isFailed(key: string): boolean {
    return this.#failed.has(key);
  }

  remove(key: string): void {
    this.#dropReady(key);
    this.#dropFailed(key);
    this.#attempts.delete(key);
  }

  /** The cluster has changed: pods that failed are tried again, each after its pause. */
  wake(priorityOf: (key: string) => number): void {
    const now = this.#options.clock.now();
    for (const failed of [...this.#failed.values()]) {
      if (failed.isHopeful) continue;
      failed.isHopeful = true;
      const leftMs = failed.since + pauseAfter(failed.attempts) - now;
      if (leftMs <= 0) this.add(failed.key, priorityOf(failed.key));
      else this.#wait(failed, priorityOf(failed.key), leftMs);
    }
  }

  close(): void {
    for (const key of [...this.#failed.keys()]) this.#dropFailed(key);
    this.#ready.clear();
    this.#priorities.clear();
    this.#attempts.clear();
  }

  #wait(failed: Failed, priority: number, ms: number): void {
    if (failed.deadline !== undefined) this.#deadlines.cancel(failed.deadline);
    failed.deadline = this.#deadlines.after(ms, { onDeadline: () => this.add(failed.key, priority) });
  }

  #dropReady(key: string): void {
    const priority = this.#priorities.get(key);
    if (priority === undefined) return;
    this.#priorities.delete(key);
    const ofPriority = this.#ready.get(priority);
    ofPriority?.delete(key);
    if (ofPriority?.size === 0) this.#ready.delete(priority);
  }

  #dropFailed(key: string): void {
    const failed = this.#failed.get(key);
    if (failed?.deadline !== undefined) this.#deadlines.cancel(failed.deadline);
    this.#failed.delete(key);
  }
}
