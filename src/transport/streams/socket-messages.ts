// Messages of a WebSocket, on the server's side: what a client sends in parts arrives as parts.

import type { Duplex } from 'node:stream';
import { closeCodes, encodeClose, encodeFrame, FrameError, FrameReader, opcodes } from '../../codec/websocket.ts';
import type { BytePipe } from './byte-pipe.ts';

const maxFrameBytes = 1024 * 1024;
/** How long a client may take to answer a close. */
const closingMs = 2000;

export interface MessageSocket {
  /** `isContinued` for a further part of the message before. */
  onPart: (part: Buffer, isContinued: boolean) => void;
  onEnd: () => void;
  send(message: Uint8Array): void;
  close(): void;
}

export function messagesOver(socket: Duplex, early: Uint8Array): MessageSocket {
  const reader = new FrameReader(maxFrameBytes);
  let isClosing = false;
  const messages: MessageSocket = {
    onPart: () => {},
    onEnd: () => {},
    send: (message) => {
      if (!isClosing && !socket.destroyed) socket.write(encodeFrame(opcodes.binary, message));
    },
    close: () => close(closeCodes.normal),
  };
  function close(code: number): void {
    if (isClosing || socket.destroyed) return;
    isClosing = true;
    socket.end(encodeClose(code));
    const timer = setTimeout(() => socket.destroy(), closingMs);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
  }
  function take(chunk: Buffer): void {
    try {
      for (const { opcode, payload } of reader.read(chunk)) {
        if (opcode === opcodes.close) close(closeCodes.normal);
        else if (opcode === opcodes.ping) socket.write(encodeFrame(opcodes.pong, payload));
        else if (opcode !== opcodes.pong) messages.onPart(payload, opcode === opcodes.continuation);
      }
    } catch (error) {
      close(error instanceof FrameError ? error.code : closeCodes.protocolError);
    }
  }
  socket.on('error', () => socket.destroy());
  socket.on('close', () => messages.onEnd());
  // the callbacks are set first
  setImmediate(() => {
    if (early.length > 0) take(Buffer.from(early));
    socket.on('data', take);
    socket.on('end', () => messages.onEnd());
  });
  return messages;
}

/** The messages as a stream of bytes, for a protocol inside the WebSocket. */
export function pipeInside(messages: MessageSocket): BytePipe {
  const pipe: BytePipe = {
    onData: () => {},
    onEnd: () => {},
    write: (chunk) => messages.send(chunk),
    end: () => messages.close(),
  };
  messages.onPart = (part) => pipe.onData(part);
  messages.onEnd = () => pipe.onEnd();
  return pipe;
}
