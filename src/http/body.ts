// Reading a request body from a stream, up to a limit.

import type { Readable } from 'node:stream';
import { badRequest, requestEntityTooLarge } from '../meta/status.ts';

const empty = new Uint8Array(0);

/** Whoever serves the stream listens to its errors; they end in `close`. */
export function collect(stream: Readable, declaredLength: string | undefined, limit: number): Promise<Uint8Array> {
  if (declaredLength !== undefined && Number(declaredLength) > limit)
    return Promise.reject(requestEntityTooLarge(limit));
  return new Promise((resolve, reject) => {
    const body = new Collector(resolve, reject);
    stream.on('data', (chunk: Buffer) => {
      if (body.add(chunk) > limit) body.fail(() => requestEntityTooLarge(limit));
    });
    stream.on('end', () => {
      // a stream that was reset ends too: what came so far is not what was meant
      if (isCut(stream) || (declaredLength !== undefined && Number(declaredLength) !== body.size)) body.fail(cut);
      else body.finish();
    });
    stream.on('close', () => body.fail(cut));
  });
}

/**
 * The same for a stream of HTTP/2 that says how long its body is. It takes the last piece when Node has seen the end of
 * the stream, and leaves it at that: a stream that tells of its end is destroyed while the answer is still being
 * written, and Node then makes an error, stack and all, for nobody. Measured: a thirtieth of a write.
 */
export async function collectDeclared(stream: Readable, length: number, limit: number): Promise<Uint8Array> {
  if (length > limit) throw requestEntityTooLarge(limit);
  const pieces = await allButTheLast(stream, length);
  const last = stream.read(stream.readableLength) as Buffer | null;
  if (last === null) throw cut();
  pieces.push(last);
  return join(pieces);
}

/** Resolves when the rest waits in the stream, and its end behind it. */
function allButTheLast(stream: Readable, length: number): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const body = new LengthyBody(length);
    stream.on('readable', () => {
      if (body.onReadable(stream)) resolve(body.pieces);
    });
    stream.on('close', () => {
      if (!body.isOver) reject(cut());
    });
  });
}

class LengthyBody {
  readonly pieces: Buffer[] = [];
  #left: number;
  #isThere = false;
  isOver = false;

  constructor(length: number) {
    this.#left = length;
  }

  /** Whether all is there. What is readable is told once more when nothing comes behind it. */
  onReadable(stream: Readable): boolean {
    this.isOver = this.#isThere;
    this.#isThere = stream.readableLength >= this.#left;
    if (!this.#isThere) this.#take(stream.read() as Buffer | null);
    return this.isOver;
  }

  #take(piece: Buffer | null): void {
    if (piece === null) return;
    this.#left -= piece.length;
    this.pieces.push(piece);
  }
}

const cut = () => badRequest('the request was closed before its body was complete');

/** Lets go of everything when it is done: the stream, and its listeners with it, outlive the request. */
class Collector {
  #chunks: Buffer[] | undefined = [];
  #resolve: ((body: Uint8Array) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  size = 0;

  constructor(resolve: (body: Uint8Array) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** The bytes that have come so far. */
  add(chunk: Buffer): number {
    this.#chunks?.push(chunk);
    this.size += chunk.length;
    return this.size;
  }

  finish(): void {
    const { chunks, resolve } = this.#release();
    if (chunks !== undefined) resolve?.(join(chunks));
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

function isCut(
  stream: Readable & { readonly aborted?: boolean; readonly session?: { readonly destroyed: boolean } },
): boolean {
  return stream.aborted === true || stream.destroyed || stream.session?.destroyed === true;
}

function join(chunks: readonly Buffer[]): Uint8Array {
  if (chunks.length === 0) return empty;
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
