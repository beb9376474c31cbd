// What a TLS connection tells about its other end, looked up once per connection.

import type { X509Certificate } from 'node:crypto';
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
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return { address };
  if (!socket.authorized) return { address, certificateError: String(socket.authorizationError) };
  const { CN, O } = socket.getPeerCertificate().subject as unknown as Record<'CN' | 'O', string | string[] | undefined>;
  return {
    address,
    certificate: {
      commonName: [CN ?? ''].flat()[0] ?? '',
      organizations: [O ?? []].flat(),
      sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      isSignedBy: (authorities) => chainOf(certificate).some((one) => authorities.some((ca) => isIssuedBy(one, ca))),
    },
  };
}

/** The certificate and those it was sent with, up to the root. */
function chainOf(certificate: X509Certificate): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let next: X509Certificate | undefined = certificate; next !== undefined; next = next.issuerCertificate) {
    if (chain.some((known) => known.fingerprint256 === next?.fingerprint256)) break;
    chain.push(next);
  }
  return chain;
}

const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate) =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
