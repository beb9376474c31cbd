// The log of a container as a function of time: which lines are there, and when the next one comes.

import type { LogBehaviour } from '../nodes/behaviour.ts';
import type { ContainerRun } from './container-run.ts';

interface LogRange {
  /** Index of the first requested line, and of the end of the lines. */
  readonly from: number;
  readonly to: number;
}

export class LogLines {
  readonly #lines: readonly string[];
  readonly #intervalMs: number;
  readonly #repeats: boolean;
  readonly #run: ContainerRun;

  constructor(
    lines: readonly string[],
    { logIntervalSeconds = 0, repeatLogs = false }: LogBehaviour,
    run: ContainerRun,
  ) {
    this.#lines = lines;
    this.#intervalMs = logIntervalSeconds * 1000;
    this.#repeats = repeatLogs && this.#intervalMs > 0 && lines.length > 0;
    this.#run = run;
  }

  /** Number of lines that are there at a time. */
  countAt(now: number): number {
    const end = Math.min(now, this.#run.finishedAt ?? now);
    if (end < this.#run.startedAt || this.#lines.length === 0) return 0;
    if (this.#intervalMs === 0) return this.#lines.length;
    const count = Math.floor((end - this.#run.startedAt) / this.#intervalMs) + 1;
    return this.#repeats ? count : Math.min(count, this.#lines.length);
  }

  /** The first line that is not older than a time. */
  indexSince(time: number): number {
    if (time <= this.#run.startedAt) return 0;
    return this.#intervalMs === 0 ? this.#lines.length : Math.ceil((time - this.#run.startedAt) / this.#intervalMs);
  }

  /** When a line is written. */
  timeOf(index: number): number {
    return this.#run.startedAt + index * this.#intervalMs;
  }

  text(index: number): string {
    return this.#lines[index % this.#lines.length] ?? '';
  }

  /** Whether more lines may come after so many. */
  hasMore(count: number): boolean {
    return this.#repeats || count < this.#lines.length;
  }
}

/** Lines between a time and the present, at most so many from the end. */
export function rangeOf(lines: LogLines, now: number, since: number, tail: number | undefined): LogRange {
  const to = lines.countAt(now);
  const from = Math.min(lines.indexSince(since), to);
  return { from: tail === undefined ? from : Math.max(from, to - tail), to };
}
