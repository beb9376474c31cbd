// The other end of a TLS connection, read once per connection.

import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ClientCertificate, Peer } from '../../meta/exchange.ts';

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

/**
 * The verdict of the transport about the certificate is not used: it trusts CAs of every purpose, and only at the handshake.
 * Authenticators build the path themselves.
 */
function readPeer(socket: TLSSocket): Peer {
  const address = socket.remoteAddress ?? '';
  const certificate = readCertificate(socket);
  return certificate === undefined ? { address } : { address, certificate };
}

/**
 * On the server's side `issuerCertificate` is, in spite of its name, the next certificate that was sent, of any issuer:
 * all of them, in their order. The first call takes them out of the connection and later ones find only the client's own,
 * so there is one call per connection. `getPeerCertificate(true)` is no way to them: it follows the first issuer by name,
 * leaves out all others, and adds CAs that the server itself trusts. A resumed session has no more than the client's own,
 * which is why the listener resumes none.
 */
function readCertificate(socket: TLSSocket): ClientCertificate | undefined {
  const chain: Uint8Array[] = [];
  let next: X509Certificate | undefined = socket.getPeerX509Certificate();
  for (; next !== undefined && chain.length < maxChain; next = next.issuerCertificate) chain.push(next.raw);
  return chain.length === 0 ? undefined : { chain };
}

/** Should a chain ever lead back to itself. */
const maxChain = 64;
