// Reading a request body from a stream, up to a limit.

import type { Readable } from 'node:stream';
import type { BodyRoom } from '../../meta/exchange.ts';
import { badRequest, requestEntityTooLarge } from '../../meta/status.ts';
import { BodyPieces } from './body-pieces.ts';

const empty = new Uint8Array(0);

/** The code that serves the stream listens to its errors; they end in `close`. */
export function collect(
  stream: Readable,
  declaredLength: string | undefined,
  limit: number,
  room?: BodyRoom,
): Promise<Uint8Array> {
  if (declaredLength !== undefined && Number(declaredLength) > limit)
    return Promise.reject(requestEntityTooLarge(limit));
  // one that is closed already does not say so again
  if (isCut(stream)) return Promise.reject(cut());
  return new Promise((resolve, reject) => {
    const body = new Collector(resolve, reject);
    let pieces = 0;
    stream.on('data', (chunk: Buffer) => {
      if (body.isOver) return;
      try {
        room?.take(chunk.length);
      } catch (error) {
        body.fail(() => error as Error);
      }
      const size = body.add(chunk);
      if (size > limit) body.fail(() => requestEntityTooLarge(limit));
      if (++pieces > maxPieces && size < pieces * crumb) stream.destroy();
    });
    stream.on('end', () => {
      // a stream that was reset ends too: its body is incomplete
      if (isCut(stream) || (declaredLength !== undefined && Number(declaredLength) !== body.size)) body.fail(cut);
      else body.finish();
    });
    stream.on('close', () => body.fail(cut));
  });
}

/**
 * A client may send a body byte by byte, each as a chunk. No honest client sends thousands of pieces of less
 * than so many bytes: reading those takes Node a hundred times as long as the bytes are worth, without a pause.
 */
const maxPieces = 4096;
const crumb = 16;

const cut = () => badRequest('the request was closed before its body was complete');

/** Lets go of everything when it is done: the stream, and its listeners with it, outlive the request. */
class Collector {
  #chunks: BodyPieces | undefined = new BodyPieces();
  #resolve: ((body: Uint8Array) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  size = 0;

  constructor(resolve: (body: Uint8Array) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Nothing more is kept. */
  get isOver(): boolean {
    return this.#chunks === undefined;
  }

  /** The bytes that have come so far. */
  add(chunk: Buffer): number {
    this.#chunks?.add(chunk);
    this.size += chunk.length;
    return this.size;
  }

  finish(): void {
    const { chunks, resolve } = this.#release();
    if (chunks !== undefined) resolve?.(join(chunks.take()));
  }

  fail(error: () => Error): void {
    const { reject } = this.#release();
    reject?.(error());
  }

  #release() {
    const [chunks, resolve, reject] = [this.#chunks, this.#resolve, this.#reject];
    this.#chunks = undefined;
    this.#resolve = undefined;
    this.#reject = undefined;
    return { chunks, resolve, reject };
  }
}

function isCut(stream: Readable & { readonly aborted?: boolean }): boolean {
  return stream.aborted === true || stream.destroyed;
}

function join(chunks: readonly Buffer[]): Uint8Array {
  if (chunks.length === 0) return empty;
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
