// A body stream on its way into a socket.

import type { Writable } from 'node:stream';
import type { BodyStream, Sink } from '../../meta/exchange.ts';

/** Streams without an end that are open now; they are told when the server stops. */
export type LiveSinks = Set<{ stop(): void }>;

/** Writes `body` and ends the stream; a failure cuts the connection, since the status is long gone. */
export function pump(
  body: BodyStream,
  stream: Writable,
  context: { readonly live: LiveSinks; onStreamError(error: unknown): void },
  sink: Sink = new StreamSink(stream, context.live),
): void {
  const fail = (error: unknown) => {
    stream.destroy();
    context.onStreamError(error);
  };
  try {
    body(sink)?.then(() => sink.end(), fail);
  } catch (error) {
    fail(error);
  }
}

export class StreamSink implements Sink {
  readonly #stream: Writable;
  readonly #live: LiveSinks;
  #stop: (() => void) | undefined;

  constructor(stream: Writable, live: LiveSinks) {
    this.#stream = stream;
    this.#live = live;
  }

  get releasesChunks(): boolean {
    return true;
  }

  get isGone(): boolean {
    return this.#stream.destroyed;
  }

  write(chunk: Uint8Array | string): boolean {
    return this.#stream.destroyed || this.#stream.write(chunk);
  }

  drained(): Promise<void> {
    return drained(this.#stream);
  }

  onStop(stop: () => void): void {
    if (this.#stream.destroyed) {
      stop();
      return;
    }
    this.#stop = stop;
    this.#live.add(this);
    this.#stream.on('close', () => this.stop());
  }

  stop(): void {
    this.#live.delete(this);
    const stop = this.#stop;
    this.#stop = undefined;
    stop?.();
  }

  cut(): void {
    this.#live.delete(this);
    this.#stop = undefined;
    this.#stream.destroy();
  }

  end(): void {
    this.#live.delete(this);
    this.#stop = undefined;
    this.#stream.end();
  }
}

function drained(stream: Writable): Promise<void> {
  if (stream.destroyed || !stream.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      stream.removeListener('drain', done);
      stream.removeListener('close', done);
      resolve();
    };
    stream.once('drain', done);
    stream.once('close', done);
  });
}
