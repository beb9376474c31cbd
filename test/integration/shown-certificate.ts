// Connections by TLS, and what the server shows to them.

import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { Server } from '../../src/index.ts';

export async function openTls(server: Server, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port: Number(new URL(server.url).port), rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** The common name of what the server shows to a client that asks for a name. */
export async function shownName(server: Server, servername?: string): Promise<string> {
  const socket = await openTls(server, servername === undefined ? {} : { servername });
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
}
