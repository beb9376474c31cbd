// Reading a request body from a stream, up to a limit.

import type { Readable } from 'node:stream';
import { badRequest, requestEntityTooLarge } from '../meta/status.ts';

const empty = new Uint8Array(0);

export function collect(stream: Readable, declaredLength: string | undefined, limit: number): Promise<Uint8Array> {
  if (declaredLength !== undefined && Number(declaredLength) > limit)
    return Promise.reject(requestEntityTooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        stream.removeAllListeners('data');
        stream.resume();
        reject(requestEntityTooLarge(limit));
      } else chunks.push(chunk);
    });
    stream.once('end', () =>
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : chunks.length === 0 ? empty : Buffer.concat(chunks)),
    );
    stream.once('error', () => reject(badRequest('the request body could not be read')));
    stream.once('close', () => reject(badRequest('the request was closed before its body was complete')));
  });
}
