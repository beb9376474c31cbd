// Secured connections to servers that objects name: every address is looked at, and none leads back to an API server of
// this cluster.

import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { checkServerIdentity, connect, type PeerCertificate, type SecureContext, type TLSSocket } from 'node:tls';
import { notForeign, type OwnServers } from '../meta/backend.ts';
import { type FlawObserver, flawBehind, legacyName } from './certificate-flaws.ts';
import type { Destination } from './service-destination.ts';

interface CheckedSocketOptions {
  readonly own: OwnServers;
  readonly context: SecureContext;
  /** The name or address that the server's certificate has to be for. */
  readonly serverName: string;
  /** Protocols to speak, the best first. */
  readonly protocols: readonly string[];
  /** The server's certificate is not checked. */
  readonly isInsecure?: boolean;
  readonly onFlaw?: FlawObserver | undefined;
}

/** How long a connection may take; the calls that wait for it have deadlines of their own. */
const patienceMs = 30_000;

export async function connectChecked(to: Destination, options: CheckedSocketOptions): Promise<TLSSocket> {
  const { own, context: secureContext, serverName, protocols, isInsecure = false, onFlaw } = options;
  const addresses = await allowedAddresses(to, own);
  const socket = await secured(
    connect({
      host: to.host,
      port: to.port,
      lookup: always(addresses),
      secureContext,
      // addresses are no names to ask for, but certificates may be for them
      servername: isIP(serverName) === 0 ? serverName : '',
      checkServerIdentity: (_host, certificate) => checkIdentity(serverName, certificate),
      rejectUnauthorized: !isInsecure,
      ALPNProtocols: [...protocols],
    }),
  ).catch((error: unknown) => {
    const flaw = flawBehind(error);
    if (flaw !== undefined) onFlaw?.(flaw);
    throw error;
  });
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined || !own.serveWith(certificate)) return socket;
  socket.destroy();
  throw new Error(notForeign);
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Every address that the host has, none of which may be of an API server of this cluster. */
async function allowedAddresses({ host, port }: Destination, own: OwnServers): Promise<readonly Address[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await lookup(host, { all: true }) : [{ address: host, family }];
  for (const { address } of addresses) if (await own.areReachedAt(address, port)) throw new Error(notForeign);
  return addresses;
}

/** The checked addresses are used: a second lookup of the name could give others. */
function always(addresses: readonly Address[]): LookupFunction {
  return (host, options, done) => {
    const [first] = addresses;
    if (first === undefined) done(new Error(`dial tcp: lookup ${host}: no such host`), '', 0);
    else if (options.all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

/** Also refuses certificates that have a common name and nothing else. */
function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const names = (certificate.subjectaltname ?? '').split(', ').filter((name) => /^(DNS|IP Address):/.test(name));
  if (names.length > 0 && checkServerIdentity(host, certificate) === undefined) return undefined;
  const why = relyOnCommonName(host, certificate) ? legacyName : mismatch(host, names);
  return new Error(`tls: failed to verify certificate: x509: ${why}`);
}

/** The name is right, and where nothing looks for it any more. */
function relyOnCommonName(host: string, { subject, subjectaltname }: PeerCertificate): boolean {
  if (subjectaltname !== undefined || isIP(host) !== 0) return false;
  const name = String(subject?.CN ?? '').toLowerCase();
  const [first, ...rest] = host.toLowerCase().split('.');
  return name === host.toLowerCase() || (first !== undefined && name === ['*', ...rest].join('.'));
}

function mismatch(host: string, names: readonly string[]): string {
  const prefix = isIP(host) === 0 ? 'DNS:' : 'IP Address:';
  const valid = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  if (valid.length > 0) return `certificate is valid for ${valid.join(', ')}, not ${host}`;
  return isIP(host) === 0
    ? `certificate is not valid for any names, but wanted to match ${host}`
    : `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
}

function secured(socket: TLSSocket): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('i/o timeout')));
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('EOF')));
    socket.once('secureConnect', () => {
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      resolve(socket);
    });
  });
}
