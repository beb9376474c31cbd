// A body stream on its way into a socket.

import type { Writable } from 'node:stream';
import type { BodyStream, Sink } from '../meta/exchange.ts';

/** Writes `body` and ends the stream; a failure cuts the connection, since the status is long gone. */
export async function pump(body: BodyStream, stream: Writable, draining: AbortSignal): Promise<void> {
  const gone = new AbortController();
  const onClose = () => gone.abort();
  stream.once('close', onClose);
  const sink: Sink = {
    write: (chunk) => stream.write(chunk),
    drained: () => drained(stream),
    signal: gone.signal,
    draining,
  };
  try {
    await body(sink);
    stream.end();
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    stream.removeListener('close', onClose);
  }
}

/** Resolves when writing may go on, or when there is nobody left to write to. */
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
