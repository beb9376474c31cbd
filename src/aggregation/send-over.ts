// The body of a request over HTTP/1.1, as fast as the other server reads; a client that leaves midway ends the request.

import type { ClientRequest } from 'node:http';

export async function sendOver(body: Uint8Array | AsyncIterable<Uint8Array>, outgoing: ClientRequest): Promise<void> {
  if (body instanceof Uint8Array) {
    outgoing.end(body);
    return;
  }
  try {
    for await (const chunk of body) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(chunk)) await drained(outgoing);
    }
    if (!outgoing.destroyed) outgoing.end();
  } catch {
    outgoing.destroy(new Error('the request was cut off'));
  }
}

function drained(outgoing: ClientRequest): Promise<void> {
  if (outgoing.destroyed || !outgoing.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      outgoing.removeListener('drain', done);
      outgoing.removeListener('close', done);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });
}
