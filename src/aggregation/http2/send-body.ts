// The body of a request over HTTP/2, as fast as the other server reads; a client that leaves midway ends the request.

import { errorCodes } from '../../http2/http2-error.ts';
import type { Http2Call } from './http2-call.ts';

interface SendingConnection {
  sendPiece(call: Http2Call, piece: Uint8Array, isLast: boolean): number;
  roomToSend(): Promise<void>;
  leave(call: Http2Call, code?: number): void;
}

const nothing = new Uint8Array(0);

export async function sendBody(
  connection: SendingConnection,
  call: Http2Call,
  body: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    if (body instanceof Uint8Array) await send(connection, call, body, true);
    else {
      for await (const piece of body) {
        if (piece.length > 0) await send(connection, call, piece, false);
        if (call.isOver) return;
      }
      await send(connection, call, nothing, true);
    }
  } catch {
    connection.leave(call, errorCodes.cancel);
    call.fail(new Error('the request was cut off'));
  }
}

async function send(connection: SendingConnection, call: Http2Call, piece: Uint8Array, isLast: boolean): Promise<void> {
  let left = piece;
  do {
    if (call.isOver) return;
    const sent = connection.sendPiece(call, left, isLast);
    left = left.subarray(sent);
    if (left.length > 0 && sent === 0) await connection.roomToSend();
  } while (left.length > 0);
  if (isLast) call.isSent = true;
}
