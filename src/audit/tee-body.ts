// Streamed bodies that audit observes: their end, and their text.

import type { BodyStream, Sink, Tunnel } from '../meta/exchange.ts';

/** Calls `over` when the body is complete, fails, or the client no longer reads; perhaps more than once. */
export function untilOver(body: BodyStream, over: () => void): BodyStream {
  return (sink) => {
    const running = body(new WatchedSink(sink, over));
    running?.then(over, over);
    return running;
  };
}

/** Calls `over` at the end of a connection that has changed its protocol. */
export function untilClosed(tunnel: Tunnel, over: () => void): Tunnel {
  return (client, early) => {
    client.once('close', over);
    tunnel(client, early);
    if (client.destroyed) over();
  };
}

/** Calls `take` with the text of a body of at most `limit` bytes; with undefined otherwise. */
export function copied(body: BodyStream, limit: number, take: (text: string | undefined) => void): BodyStream {
  return (sink) => {
    const chunks: Buffer[] = [];
    let left = limit;
    const copy = (chunk: Uint8Array | string) => {
      const bytes = Buffer.from(chunk);
      left -= bytes.length;
      if (left >= 0) chunks.push(bytes);
      else chunks.length = 0;
    };
    const done = once(() => take(left >= 0 && !sink.isGone ? Buffer.concat(chunks).toString() : undefined));
    const watched = new WatchedSink(sink, done, copy);
    return body(watched)?.finally(done);
  };
}

/** However often it is called. */
export function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    run();
  };
}

class WatchedSink implements Sink {
  readonly over: () => void;
  readonly #sink: Sink;
  readonly #onChunk: ((chunk: Uint8Array | string) => void) | undefined;

  constructor(sink: Sink, over: () => void, onChunk?: (chunk: Uint8Array | string) => void) {
    this.#sink = sink;
    this.over = over;
    this.#onChunk = onChunk;
  }

  get releasesChunks(): boolean {
    return this.#sink.releasesChunks ?? false;
  }

  get unsentBytes(): number | undefined {
    return this.#sink.unsentBytes;
  }

  get joinsChunks(): boolean {
    return this.#onChunk === undefined && (this.#sink.joinsChunks ?? false);
  }

  get isGone(): boolean {
    return this.#sink.isGone;
  }

  write(chunk: Uint8Array | string): boolean {
    this.#onChunk?.(chunk);
    return this.#sink.write(chunk);
  }

  drained(): Promise<void> {
    return this.#sink.drained();
  }

  onStop(stop: () => void): void {
    this.#sink.onStop(() => {
      stop();
      this.over();
    });
  }

  end(): void {
    this.#sink.end();
    this.over();
  }

  cut(): void {
    this.#sink.cut();
    this.over();
  }
}
