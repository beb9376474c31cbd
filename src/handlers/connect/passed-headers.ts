// Which headers pass between a client and another server. What says who the client is stays here.

import { bareRecord } from '../../base/maps/bare-record.ts';
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

/** What `isOwn` says of the names that were seen last: most requests have the same. */
const verdicts = new WeakMap<IdentityHeaders, Map<string, boolean>>();
const maxVerdicts = 500;

function staysHere(name: string, identity: IdentityHeaders): boolean {
  const known = verdicts.get(identity) ?? new Map<string, boolean>();
  const verdict = known.get(name);
  if (verdict !== undefined) return verdict;
  if (known.size >= maxVerdicts) known.clear();
  const own = hopByHop.has(name) || isOwn(name, identity);
  known.set(name, own);
  verdicts.set(identity, known);
  return own;
}

/** Some servers take an underscore in the name of a header for a hyphen. */
const spelled = (name: string) => name.replaceAll('_', '-');

function isOwn(name: string, { names, prefixes }: IdentityHeaders): boolean {
  const plain = spelled(name);
  const begins = (prefix: string) => plain.startsWith(prefix);
  return ownHeaders.has(plain) || names.has(plain) || ownPrefixes.some(begins) || prefixes.some(begins);
}

type Sent = readonly (readonly [name: string, value: string])[];

/** Headers of a request as another server gets them. */
export function passedHeaders(sent: Sent, upgrades: boolean, identity: IdentityHeaders): Record<string, string> {
  const connection = one(sent, 'connection');
  const listed = connection === undefined ? none : namesIn(connection);
  // without a prototype: names are the client's choice
  const passed = bareRecord<string>();
  for (const [name, value] of sent) {
    if (staysHere(name, identity) || listed.has(name)) continue;
    const before = passed[name];
    passed[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return upgrades ? withUpgrade(passed, sent) : passed;
}

const none: ReadonlySet<string> = new Set();

/** What was sent several times is a list. */
function one(sent: Sent, wanted: string): string | undefined {
  let found: string | undefined;
  for (const [name, value] of sent) if (name === wanted) found = found === undefined ? value : `${found}, ${value}`;
  return found;
}

function withUpgrade(passed: Record<string, string>, sent: Sent): Record<string, string> {
  const protocols = (one(sent, 'sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  const harmless = protocols.filter((name) => name !== '' && !name.startsWith(bearerProtocol));
  delete passed['sec-websocket-protocol'];
  return {
    ...passed,
    ...(harmless.length === 0 ? {} : { 'sec-websocket-protocol': harmless.join(', ') }),
    connection: 'Upgrade',
    upgrade: one(sent, 'upgrade') ?? '',
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
  const connection = upgrades ? undefined : headers['connection'];
  for (const [name, value] of Object.entries(headers)) {
    const kept = upgrades && (name === 'connection' || name === 'upgrade');
    if (!kept && !isPassedBack(name, connection)) continue;
    if (upgrades) passed[name] = value;
    else
      passed[name] =
        name === 'location' && typeof value === 'string' ? seenFromHere(value, prefix) : passedBack(name, value);
  }
  return passed;
}

/** What every answer of this server says about keeping it. */
const ownCacheControl = 'no-cache, private';

/** The value of a header of an answer as the client gets it: what this server says of keeping it stands before the other's. */
export function passedBack(name: string, value: string | readonly string[]): string | readonly string[] {
  if (name !== 'cache-control') return value;
  return typeof value === 'string' ? [ownCacheControl, value] : [ownCacheControl, ...value];
}

/** Whether the client gets a header of an answer; `connection` is what the answer says of its connection. */
export function isPassedBack(name: string, connection: string | readonly string[] | undefined): boolean {
  if (hopByHop.has(name) || name === 'audit-id' || name.startsWith('access-control-')) return false;
  return typeof connection !== 'string' || !namesIn(connection).has(name);
}

/** A place on the other server is a place below the proxy; places elsewhere stay what they are. */
const seenFromHere = (location: string, prefix: string) =>
  location.startsWith('/') && !location.startsWith('//') ? `${prefix}${location}` : location;
