// Reading a request body from a stream, up to a limit.

import type { Readable } from 'node:stream';
import { badRequest, requestEntityTooLarge } from '../meta/status.ts';

const empty = new Uint8Array(0);

/** Whoever serves the stream listens to its errors; they end in `close`. */
export function collect(stream: Readable, declaredLength: string | undefined, limit: number): Promise<Uint8Array> {
  if (declaredLength !== undefined && Number(declaredLength) > limit)
    return Promise.reject(requestEntityTooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let settled = false;
    const fail = (error: () => Error) => {
      if (settled) return;
      settled = true;
      reject(error());
    };
    const cut = () => fail(() => badRequest('the request was closed before its body was complete'));
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else fail(() => requestEntityTooLarge(limit));
    });
    stream.on('end', () => {
      // a stream that was reset ends too: what came so far is not what was meant
      if (isCut(stream) || (declaredLength !== undefined && Number(declaredLength) !== size)) cut();
      if (settled) return;
      settled = true;
      resolve(join(chunks));
    });
    stream.on('close', cut);
  });
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
