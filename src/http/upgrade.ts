// Requests that ask for another protocol: where another server speaks it, its connection and the client's become
// one; everybody else is answered over HTTP as if they had not asked, which the protocol allows.

import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiResponse } from '../meta/exchange.ts';
import { Http1Request, respond } from './http1-exchange.ts';
import type { ServeContext } from './http2-exchange.ts';

export async function serveUpgrade(
  context: ServeContext,
  message: IncomingMessage,
  socket: Duplex,
  early: Buffer,
): Promise<void> {
  // a client that goes away is no error of ours
  socket.on('error', ignore);
  const answer = await context.handler(new Http1Request(message, message.headers.upgrade));
  if (answer.tunnel === undefined) {
    answerPlainly(context, message, socket, answer);
    return;
  }
  if (!socket.destroyed) socket.write(headOf(answer));
  answer.tunnel(socket, early);
}

function ignore(): void {}

function answerPlainly(context: ServeContext, message: IncomingMessage, socket: Duplex, answer: ApiResponse): void {
  if (socket.destroyed) return;
  const out = new ServerResponse(message);
  out.assignSocket(socket as never);
  out.setHeader('connection', 'close');
  out.on('finish', () => socket.end());
  respond(context, message, out, answer);
}

function headOf({ status, headers }: ApiResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n');
}
