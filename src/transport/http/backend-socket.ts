// Connections to other servers: only to addresses that were looked at, and never back to this server.

import { lookup } from 'node:dns/promises';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecure, type TLSSocket } from 'node:tls';
import type { OwnServers } from '../../meta/backend.ts';
import { type Backend, BackendUnreachable, isForeign, notForeign } from '../../meta/backend.ts';
import { badRequest } from '../../meta/status.ts';

/** The certificate this server shows to nodes, and the CA it expects of theirs. */
export interface NodeTrust {
  /** Who signs the certificates of nodes; when not given, they are not checked. */
  readonly ca?: string;
  readonly certificate?: string;
  readonly privateKey?: string;
}

type Place = Pick<Backend, 'scheme' | 'host' | 'port' | 'isNode' | 'isTrusted'>;

/** How long another server may take until its answer begins, and until it accepts a connection. */
export const patienceMs = 30_000;

export const defaultPorts = { http: 80, https: 443 } as const;

/** Throws a 400 where the way leads back to an API server of this cluster. */
export async function connectTo(place: Place, trust: NodeTrust, own: OwnServers): Promise<Socket> {
  const { scheme, host, isNode } = place;
  const port = place.port ?? defaultPorts[scheme];
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new BackendUnreachable('invalid port');
  const target = { host, port, lookup: always(await allowedAddresses(place, port, own)) };
  if (scheme === 'http') return opened(connectPlain(target), 'connect');
  const options = { ...target, ...checksOf(place, trust) };
  const { certificate: cert, privateKey: key } = isNode ? trust : {};
  if (cert === undefined || key === undefined) return secured(options, own);
  // the client certificate is sent during the handshake: a connection without it is made first, to recognize the other server
  await recognize(options, own);
  return secured({ ...options, cert, key }, own);
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Every address that the host has, each of which may be used. */
async function allowedAddresses(place: Place, port: number, own: OwnServers): Promise<readonly Address[]> {
  const addresses = await addressesOf(place.host);
  for (const { address } of addresses) {
    // pods and services are not thereby at home on this machine, while agents of nodes may be
    if (!place.isNode && !isForeign(address)) throw badRequest(notForeign);
    if (await own.areReachedAt(address, port)) throw badRequest(notForeign);
  }
  return addresses;
}

const maxHostLength = 253;

async function addressesOf(host: string): Promise<readonly Address[]> {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  if (host.length > maxHostLength || !/^[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?$/i.test(host)) throw badRequest(notForeign);
  try {
    return await lookup(host, { all: true });
  } catch (error) {
    throw unreachable(error as NodeJS.ErrnoException);
  }
}

/** The checked addresses are used: a second lookup of the name could return others. */
function always(addresses: readonly Address[]): LookupFunction {
  return (_host, options, done) => {
    const [first] = addresses;
    if (first === undefined) done(new Error('no addresses for hostname'), '', 0);
    else if (options.all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
}

function checksOf({ host, isNode, isTrusted }: Place, trust: NodeTrust): ConnectionOptions {
  const { ca } = isNode ? trust : {};
  return {
    // pods and services are strangers anyway; nodes are known by the CA that an option names, if it does
    rejectUnauthorized: ca !== undefined && isTrusted !== true,
    ...(ca === undefined ? {} : { ca }),
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
}

/** Fails for a server of this cluster; a server that requires a certificate is another one. */
async function recognize(options: ConnectionOptions, own: OwnServers): Promise<void> {
  try {
    leave(await secured(options, own));
  } catch (error) {
    const { cause } = error as Error;
    if (!/^ERR_SSL_.*ALERT/.test((cause as NodeJS.ErrnoException | undefined)?.code ?? '')) throw error;
  }
}

/** How long a peer may take to close its half of a connection that is not used. */
const farewellMs = 1000;

function leave(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), farewellMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.resume().end();
}

async function secured(options: ConnectionOptions, own: OwnServers): Promise<TLSSocket> {
  const socket = await opened(connectSecure(options), 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined || !own.serveWith(certificate)) return socket;
  socket.destroy();
  throw badRequest(notForeign);
}

function opened<T extends Socket>(socket: T, event: 'connect' | 'secureConnect'): Promise<T> {
  return new Promise((resolve, reject) => {
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer in time')));
    socket.on('error', (error) => reject(unreachable(error)));
    socket.once('close', () => reject(new BackendUnreachable('the connection was closed')));
    socket.once(event, () => {
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      resolve(socket);
    });
  });
}

/** What went wrong, without more of this machine's inner life than a client needs. */
export const unreachable = (error: NodeJS.ErrnoException): BackendUnreachable =>
  new BackendUnreachable(error.code ?? error.message, { cause: error });
