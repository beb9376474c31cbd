// Faults of answers on their way to the client: connections of watches that are lost, bodies that arrive slowly.

import type { ApiResponse, BodyStream, Exchange, Sink } from '../meta/exchange.ts';

/** A body is sent in at least this many parts per second. */
const partsPerSecond = 10;

/** The answer, with a body that is sent at this speed. */
export function withSlowBody(response: ApiResponse, bytesPerSecond: number): ApiResponse {
  const { body, gzipBody: _, ...rest } = response;
  if (body === undefined) return response;
  return {
    ...rest,
    body: typeof body === 'function' ? slowStream(body, bytesPerSecond) : slowText(body, bytesPerSecond),
  };
}

function slowText(body: Uint8Array | string, bytesPerSecond: number): BodyStream {
  return async (sink) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const size = Math.max(1, Math.floor(bytesPerSecond / partsPerSecond));
    const slow = new SlowSink(sink, bytesPerSecond);
    for (let at = 0; at < bytes.length && !sink.isGone; at += size)
      if (!slow.write(bytes.subarray(at, at + size))) await slow.drained();
  };
}

const slowStream =
  (body: BodyStream, bytesPerSecond: number): BodyStream =>
  (sink) =>
    body(new SlowSink(sink, bytesPerSecond));

/** Takes no more than so many bytes per second, in real time. */
class SlowSink implements Sink {
  readonly #sink: Sink;
  readonly #bytesPerSecond: number;
  #pauseMs = 0;
  #isFull = false;

  constructor(sink: Sink, bytesPerSecond: number) {
    this.#sink = sink;
    this.#bytesPerSecond = bytesPerSecond;
  }

  get isGone(): boolean {
    return this.#sink.isGone;
  }

  write(chunk: Uint8Array | string): boolean {
    this.#pauseMs += (Buffer.byteLength(chunk) / this.#bytesPerSecond) * 1000;
    this.#isFull = !this.#sink.write(chunk);
    return false;
  }

  async drained(): Promise<void> {
    const ms = this.#pauseMs;
    this.#pauseMs = 0;
    const pause = new Promise((resolve) => setTimeout(resolve, ms));
    await Promise.all([pause, this.#isFull ? this.#sink.drained() : undefined]);
  }

  onStop(stop: () => void): void {
    this.#sink.onStop(stop);
  }

  end(): void {
    this.#sink.end();
  }

  cut(): void {
    this.#sink.cut();
  }
}

/** The open watches of clients, by resource. */
export class WatchConnections {
  readonly #open = new Map<Sink, string>();

  /** The answer; its connection can be lost while it is sent. */
  follow({ info }: Exchange, response: ApiResponse): ApiResponse {
    const { body } = response;
    if (info.verb !== 'watch' || typeof body !== 'function') return response;
    const { resource } = info;
    return {
      ...response,
      body: (sink) => {
        for (const other of this.#open.keys()) if (other.isGone) this.#open.delete(other);
        this.#open.set(sink, resource);
        return body(sink);
      },
    };
  }

  /** The number of connections that were lost. */
  drop(resource: string | undefined): number {
    const sinks = [...this.#open].filter(([sink, of]) => !sink.isGone && (resource === undefined || of === resource));
    for (const [sink] of sinks) {
      this.#open.delete(sink);
      sink.cut();
    }
    return sinks.length;
  }
}
