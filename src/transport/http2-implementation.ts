// The implementations of HTTP/2 that a listener can have, behind one seam: a session for each connection.

import type { TLSSocket } from 'node:tls';
import type { ConnectionSession } from './http/connections.ts';
import { Http2Session, type SessionOptions } from './http2/http2-session.ts';

export const http2Implementations = ['own', 'node'] as const;
export type Http2Implementation = (typeof http2Implementations)[number];

export type BeginSession = (socket: TLSSocket, options: SessionOptions) => ConnectionSession;

/** Node's is loaded where it is used. */
export async function http2Sessions(implementation: Http2Implementation): Promise<BeginSession> {
  if (implementation === 'own') return (socket, options) => new Http2Session(socket, options);
  const { NodeSession } = await import('./node-http2/node-session.ts');
  return (socket, options) => new NodeSession(socket, options);
}
