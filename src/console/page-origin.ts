// Whether a request comes from the console's own page, as far as browsers report it.

import type { ApiRequest } from '../meta/exchange.ts';

/** Programs that are not browsers send neither header; the secrets of a session protect against those. */
export function isFromOwnPage(request: ApiRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = request.header('origin');
  return origin === undefined || origin === `https://${hostOf(request)}`;
}

const hostOf = (request: ApiRequest) => request.header(':authority') ?? request.header('host') ?? '';

/** Whether both ends of the connection are on this machine: the address, and the name that the client used. */
export function isLocal(request: ApiRequest): boolean {
  const host = hostOf(request).replace(/:\d+$/, '');
  return isLoopback(request.peer.address) && (host === 'localhost' || isLoopback(host.replace(/^\[|\]$/g, '')));
}

function isLoopback(address: string): boolean {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  return plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain);
}
