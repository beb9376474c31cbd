// What a TLS connection tells about its other end, looked up once per connection.

import type { TLSSocket } from 'node:tls';
import type { Peer } from '../meta/exchange.ts';

const peers = new WeakMap<object, Peer>();

/** `connection` identifies the connection; its socket may be a stand-in that changes identity. */
export function peerOf(connection: object, socket: TLSSocket): Peer {
  let peer = peers.get(connection);
  if (peer === undefined) {
    peer = readPeer(socket);
    peers.set(connection, peer);
  }
  return peer;
}

function readPeer(socket: TLSSocket): Peer {
  const address = socket.remoteAddress ?? '';
  const certificate = socket.getPeerCertificate();
  // an empty object: the client sent none
  if (Object.keys(certificate).length === 0) return { address };
  if (!socket.authorized) return { address, certificateError: String(socket.authorizationError) };
  const { CN, O } = certificate.subject as unknown as { CN?: string | string[]; O?: string | string[] };
  return { address, certificate: { commonName: [CN ?? ''].flat()[0] ?? '', organizations: [O ?? []].flat() } };
}
