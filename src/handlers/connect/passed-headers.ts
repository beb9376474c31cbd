// Which headers pass between a client and another server. What says who the client is stays here.

import type { ApiResponse } from '../../meta/exchange.ts';

/** Headers that are about one connection, not about the message. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
/** Who the client is, and what it may do, is known to this server alone. */
const ownHeaders = new Set(['authorization', 'host', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']);
const ownPrefixes = ['impersonate-', 'x-remote-', ':'];
const bearerProtocol = 'base64url.bearer.';

/** Headers by which proxies in front of this server tell it who the client is, besides those that it always knows. */
export interface IdentityHeaders {
  /** In lower case, as the prefixes are. */
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

interface HeaderOptions {
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

export function identityHeaders(options: HeaderOptions | undefined): IdentityHeaders {
  if (options === undefined) return { names: new Set(), prefixes: [] };
  const { usernameHeaders, uidHeaders, groupHeaders, extraPrefixes } = options;
  const names = [...usernameHeaders, ...uidHeaders, ...groupHeaders].map(spelled);
  return { names: new Set(names), prefixes: extraPrefixes.filter(Boolean).map(spelled) };
}

/** Some servers take an underscore in the name of a header for a hyphen. */
const spelled = (name: string) => name.replaceAll('_', '-');

function isOwn(name: string, { names, prefixes }: IdentityHeaders): boolean {
  const plain = spelled(name);
  const begins = (prefix: string) => plain.startsWith(prefix);
  return ownHeaders.has(plain) || names.has(plain) || ownPrefixes.some(begins) || prefixes.some(begins);
}

type Headers = Readonly<Record<string, string>>;
type Sent = readonly (readonly [name: string, value: string])[];

/** Headers of a request as another server gets them. */
export function passedHeaders(sent: Sent, upgrades: boolean, identity: IdentityHeaders): Record<string, string> {
  const headers = joined(sent);
  const listed = namesIn(headers['connection']);
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (isOwn(name, identity) || hopByHop.has(name) || listed.has(name)) continue;
    passed[name] = value;
  }
  if (!upgrades) return passed;
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const harmless = protocols.filter((name) => name !== '' && !name.startsWith(bearerProtocol));
  delete passed['sec-websocket-protocol'];
  return {
    ...passed,
    ...(harmless.length === 0 ? {} : { 'sec-websocket-protocol': harmless.join(', ') }),
    connection: 'Upgrade',
    upgrade: headers['upgrade'] ?? '',
  };
}

const namesIn = (list = '') => new Set(list.split(',').map((name) => name.trim().toLowerCase()));

/** Headers of an answer as the client gets them; `prefix` is where the other server's paths are found here. */
export function answerHeaders(
  headers: ApiResponse['headers'],
  prefix: string,
  upgrades: boolean,
): ApiResponse['headers'] {
  const passed: Record<string, string | readonly string[]> = {};
  const { connection } = headers;
  const listed = namesIn(upgrades || typeof connection !== 'string' ? undefined : connection);
  for (const [name, value] of Object.entries(headers)) {
    const kept = upgrades && (name === 'connection' || name === 'upgrade');
    if ((hopByHop.has(name) && !kept) || listed.has(name)) continue;
    if (name.startsWith('access-control-') || name === 'audit-id') continue;
    passed[name] = name === 'location' && typeof value === 'string' ? seenFromHere(value, prefix) : value;
  }
  return passed;
}

/** A place on the other server is a place below the proxy; places elsewhere stay what they are. */
const seenFromHere = (location: string, prefix: string) =>
  location.startsWith('/') && !location.startsWith('//') ? `${prefix}${location}` : location;

/** One text a name: what was sent several times is a list. */
function joined(sent: Sent): Headers {
  const found = new Map<string, string>();
  for (const [name, value] of sent) {
    const before = found.get(name);
    found.set(name, before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`);
  }
  return Object.fromEntries(found);
}
