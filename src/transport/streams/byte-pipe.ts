// Bytes in both directions, whatever carries them: a connection, or messages of a WebSocket.

import type { Duplex } from 'node:stream';

export interface BytePipe {
  /** Called for all that comes, in order. */
  onData: (chunk: Buffer) => void;
  /** Called once, when nothing more comes. */
  onEnd: () => void;
  write(chunk: Uint8Array): void;
  end(): void;
}

/** The connection itself. */
export function pipeOver(socket: Duplex, early: Uint8Array): BytePipe {
  const pipe: BytePipe = {
    onData: () => {},
    onEnd: () => {},
    write: (chunk) => {
      if (!socket.destroyed) socket.write(chunk);
    },
    end: () => socket.end(),
  };
  socket.on('error', () => socket.destroy());
  socket.on('close', () => pipe.onEnd());
  // the callbacks are set first
  setImmediate(() => {
    if (early.length > 0) pipe.onData(Buffer.from(early));
    socket.on('data', (chunk: Buffer) => pipe.onData(chunk));
    socket.on('end', () => pipe.onEnd());
  });
  return pipe;
}
