// A body stream on its way into a socket.

import type { Writable } from 'node:stream';
import type { BodyStream, Sink } from '../../meta/exchange.ts';
import type { UnreadAnswer, UnreadAnswers } from './unread-answers.ts';

/** Streams without an end that are open now; they are told when the server stops. */
export type LiveSinks = Set<{ stop(): void }>;

/** What sinks share with all others of their listener. */
interface SinkContext {
  readonly live: LiveSinks;
  readonly unread: UnreadAnswers;
}

/** Writes `body` and ends the stream; a failure cuts the connection, since the status is long gone. */
export function pump(
  body: BodyStream,
  stream: Writable,
  context: SinkContext & { onStreamError(error: unknown): void },
  sink: Sink = new StreamSink(stream, context),
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

export class StreamSink implements Sink, UnreadAnswer {
  readonly #stream: Writable;
  readonly #live: LiveSinks;
  readonly #unread: UnreadAnswers;
  #stop: (() => void) | undefined;

  constructor(stream: Writable, { live, unread }: SinkContext) {
    this.#stream = stream;
    this.#live = live;
    this.#unread = unread;
  }

  get isLasting(): boolean {
    return this.#stop !== undefined;
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

  async drained(): Promise<void> {
    if (this.#stream.destroyed || !this.#stream.writableNeedDrain) return;
    this.#unread.hold(this, {}, this.#stream.writableLength);
    await drained(this.#stream);
    this.#unread.forget(this);
  }

  giveUp(): void {
    this.cut();
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
