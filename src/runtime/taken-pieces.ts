// The body of an HTTP/2 stream, taken piece by piece as Node hands it in, without passing through the stream's queue.

import type { Readable } from 'node:stream';
import { isPlainRuntime } from './plain-runtime.ts';

/** Whether `takePieces` may be used: not with a plain runtime, nor for what has come already and waits in the stream. */
export function canTakePieces(stream: Readable): boolean {
  return !isPlainRuntime && stream.readableLength === 0;
}

/**
 * Node hands each piece to `push`, which would put it into the stream's queue, tell of it in a later tick and wait to be asked for
 * it; here it is taken at once. `end` decides whether the stream hears of its end: one that does is destroyed while the answer
 * is still being written, and Node then makes an error, stack and all, for nothing.
 */
export function takePieces(
  stream: Readable,
  { piece, end }: { piece(bytes: Buffer): void; end(): 'pass' | 'keep' },
): void {
  const { push } = stream;
  stream.push = (bytes: Buffer | null) => {
    if (bytes !== null) {
      piece(bytes);
      return true;
    }
    stream.push = push;
    return end() === 'pass' ? stream.push(null) : false;
  };
  stream.read(0);
}
