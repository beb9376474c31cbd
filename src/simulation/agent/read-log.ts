// Answers requests for logs: lines that are there, and those to come for a client that follows.

import type { Clock } from '../../base/time/clock.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { ApiResponse, Sink } from '../../meta/exchange.ts';
import type { LogBehaviour } from '../nodes/behaviour.ts';
import { NoRun, runOf } from './container-run.ts';
import { LogLines, rangeOf } from './log-lines.ts';

interface LogRequest {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly tail: number | undefined;
  readonly maxBytes: number;
}

export function logRequestOf(container: string, query: URLSearchParams, now: number): LogRequest {
  const seconds = query.get('sinceSeconds');
  const tail = query.get('tailLines');
  return {
    container,
    follow: query.get('follow') === 'true',
    previous: query.get('previous') === 'true',
    timestamps: query.get('timestamps') === 'true',
    since: seconds === null ? Date.parse(query.get('sinceTime') ?? '') || 0 : now - Number(seconds) * 1000,
    tail: tail === null ? undefined : Number(tail),
    maxBytes: Number(query.get('limitBytes') ?? Number.POSITIVE_INFINITY),
  };
}

export interface LogSource {
  readonly clock: Clock;
  /** The pod as it is now; undefined when it is deleted. */
  pod(): Promise<Pod | undefined>;
  /** Lines of a container, and when they are written. */
  behaviourOf(pod: Pod, container: string): LogBehaviour;
}

/** How often a client that follows is looked after, at least. */
const pollMs = 1000;

export async function readLog(pod: Pod, request: LogRequest, source: LogSource): Promise<ApiResponse> {
  try {
    const reader = new LogReader(pod, request, source);
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: (sink) => reader.send(sink) };
  } catch (error) {
    if (error instanceof NoRun) return { status: 400, headers: {}, body: error.message };
    throw error;
  }
}

class LogReader {
  readonly #request: LogRequest;
  readonly #source: LogSource;
  readonly #uid: string | undefined;
  #lines: LogLines;
  #isOver: boolean;
  #next: number;
  #leftBytes: number;
  #isStopped = false;
  #wake: (() => void) | undefined;

  /** Throws a NoRun. */
  constructor(pod: Pod, request: LogRequest, source: LogSource) {
    this.#request = request;
    this.#source = source;
    this.#uid = pod.metadata.uid;
    this.#leftBytes = request.maxBytes;
    const { lines, isOver } = this.#open(pod);
    this.#lines = lines;
    this.#isOver = isOver;
    this.#next = rangeOf(lines, source.clock.now(), request.since, request.tail).from;
  }

  async send(sink: Sink): Promise<void> {
    sink.onStop(() => {
      this.#isStopped = true;
      this.#wake?.();
    });
    await this.#writeLines(sink);
    while (this.#request.follow && !this.#isOver && !this.#isFinished) {
      await this.#pause();
      await this.#refresh();
      await this.#writeLines(sink);
    }
  }

  get #isFinished(): boolean {
    return this.#isStopped || this.#leftBytes <= 0;
  }

  #open(pod: Pod): { readonly lines: LogLines; readonly isOver: boolean } {
    const { container, previous } = this.#request;
    const run = runOf(pod, container, previous);
    const behaviour = this.#source.behaviourOf(pod, container);
    return { lines: new LogLines(behaviour.logs ?? [], behaviour, run), isOver: run.finishedAt !== undefined };
  }

  async #writeLines(sink: Sink): Promise<void> {
    const end = this.#lines.countAt(this.#source.clock.now());
    for (; this.#next < end && !this.#isFinished; this.#next++) {
      const time = this.#request.timestamps ? `${stamp(this.#lines.timeOf(this.#next))} ` : '';
      const bytes = Buffer.from(`${time}${this.#lines.text(this.#next)}\n`);
      const sent = bytes.length > this.#leftBytes ? bytes.subarray(0, this.#leftBytes) : bytes;
      this.#leftBytes -= sent.length;
      if (!sink.write(sent)) await sink.drained();
    }
  }

  #pause(): Promise<void> {
    const { clock } = this.#source;
    const untilNext = this.#lines.hasMore(this.#next) ? this.#lines.timeOf(this.#next) - clock.now() : pollMs;
    return new Promise((resolve) => {
      const timer = clock.after(Math.max(1, Math.min(untilNext, pollMs)), resolve);
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  /** Follows the opened run: it is over when its pod is deleted, or runs again. */
  async #refresh(): Promise<void> {
    const pod = await this.#source.pod();
    if (pod === undefined || pod.metadata.uid !== this.#uid) {
      this.#isOver = true;
      return;
    }
    const { lines, isOver } = this.#open(pod);
    const isSameRun = lines.timeOf(0) === this.#lines.timeOf(0);
    if (isSameRun) this.#lines = lines;
    this.#isOver = isOver || !isSameRun;
  }
}

const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000000Z`;
