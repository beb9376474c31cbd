// Forwarded ports over SPDY: each connection of the client is a pair of streams, for data and for what went wrong.

import { streamProtocols } from '../../meta/dialect.ts';
import type { BytePipe } from './byte-pipe.ts';
import { InputQueue } from './input-queue.ts';
import { SpdySession, type SpdyStream } from './spdy-session.ts';

export const forwardProtocol = streamProtocols.forwardedPorts;
/** The protocol of forwarded ports inside a WebSocket. */
export const tunneledProtocol = `SPDY/3.1+${forwardProtocol}`;

export interface ForwardedStreams {
  readonly port: number;
  readonly input: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
  write(chunk: Uint8Array): void;
}

/** Serves connections until the client leaves; `serve` rejects with what the client is to see. */
export function forwardPorts(pipe: BytePipe, serve: (streams: ForwardedStreams) => Promise<void>): void {
  const errors = new Map<string, SpdyStream>();
  const abort = new AbortController();
  const session = new SpdySession(pipe, {
    onClose: () => abort.abort(),
    onStream(stream) {
      const { streamtype, requestid = '', port } = stream.headers;
      if (streamtype === 'error') errors.set(requestid, stream);
      else serveStream(stream, Number(port), errors.get(requestid));
      if (streamtype !== 'error') errors.delete(requestid);
    },
  });
  function serveStream(data: SpdyStream, port: number, error: SpdyStream | undefined): void {
    const input = new InputQueue();
    data.onData = (chunk) => {
      if (!input.push(chunk)) session.close();
    };
    data.onEnd = () => input.end();
    const write = (chunk: Uint8Array) => data.write(chunk);
    serve({ port, input, signal: abort.signal, write })
      .catch((reason: unknown) => error?.write(Buffer.from((reason as Error).message)))
      .finally(() => {
        error?.end();
        data.end();
      });
  }
}
