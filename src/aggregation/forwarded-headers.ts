// The headers of a forwarded request: the user, the proxies on the way, and the headers of the client, except
// for its credentials.

import { type IdentityHeaders, passedHeaders } from '../handlers/connect/passed-headers.ts';
import type { ApiRequest, Exchange } from '../meta/exchange.ts';
import type { UserInfo } from '../meta/user.ts';
import type { BackendRequest } from './backend-call.ts';

type Headers = Record<string, string | readonly string[]>;

interface ForwardTarget {
  /** Host and port of the other server. */
  readonly authority: string;
  readonly path: string;
  readonly upgrades: boolean;
  /** Headers by which this server learns who a client is. */
  readonly identityHeaders: IdentityHeaders;
  /** Of the part of the trace that the call is. */
  readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
}

/** The headers about the body and its length are set by callers. */
export function forwardedHeaders(
  { request, user, id }: Exchange,
  { authority, path, upgrades, identityHeaders, traceHeaders }: ForwardTarget,
): Pick<BackendRequest, 'headers'> & { readonly ownHeaders: Record<string, string> } {
  const sent = request.headers();
  const source = { sent, address: addressOf(request), authority, upgrades, identityHeaders };
  const before = lastHeaders.get(user);
  let headers: Headers;
  if (before !== undefined && isSame(before, source)) headers = before.headers;
  else {
    headers = { ...sharedHeaders(request, source), ...userHeaders(user) };
    if (isShort(sent)) lastHeaders.set(user, { ...source, headers });
  }
  const ownHeaders = upgrades ? { 'audit-id': id } : { 'x-forwarded-uri': path, 'audit-id': id };
  if (traceHeaders?.['traceparent'] === undefined) return { headers, ownHeaders };
  return { headers: withoutTrace(headers), ownHeaders: { ...ownHeaders, ...traceHeaders } };
}

/** The trace continues with this server's part of it. */
function withoutTrace({ traceparent: _, tracestate: __, ...headers }: Headers): Headers {
  return headers;
}

/** All input of the headers that several requests may share. */
interface HeaderSource {
  readonly sent: ReturnType<ApiRequest['headers']>;
  readonly address: string;
  readonly authority: string;
  readonly upgrades: boolean;
  readonly identityHeaders: IdentityHeaders;
}

/** The headers of the last request of each user. Authenticators cache users, and most clients send equal headers every time. */
const lastHeaders = new WeakMap<UserInfo, HeaderSource & { readonly headers: Headers }>();

/** More of a request is not kept: there may be many users. */
const maxKept = 2048;

function isShort(sent: HeaderSource['sent']): boolean {
  let length = 0;
  for (const [name, value] of sent) length += name.length + value.length;
  return length <= maxKept;
}

function isSame(before: HeaderSource, source: HeaderSource): boolean {
  if (before.address !== source.address || before.authority !== source.authority) return false;
  // several servers of one process may know the same user, and hide other headers
  if (before.identityHeaders !== source.identityHeaders) return false;
  if (before.upgrades !== source.upgrades || before.sent.length !== source.sent.length) return false;
  for (let at = 0; at < source.sent.length; at++) {
    const [name, value] = source.sent[at] as readonly [string, string];
    const [nameBefore, valueBefore] = before.sent[at] as readonly [string, string];
    if (name !== nameBefore || value !== valueBefore) return false;
  }
  return true;
}

function sharedHeaders(
  request: ApiRequest,
  { sent, address, authority, upgrades, identityHeaders }: HeaderSource,
): Headers {
  const headers: Headers = passedHeaders(sent, upgrades, identityHeaders);
  for (const name of ofOneRequest) delete headers[name];
  const way = forwardedFor(request, address);
  if (way !== '') headers['x-forwarded-for'] = way;
  if (!upgrades) {
    headers['x-forwarded-host'] = authority;
    headers['x-forwarded-proto'] = 'https';
  }
  return headers;
}

/** This server sets them itself. */
const ofOneRequest = ['x-forwarded-uri', 'audit-id', 'content-length'];

/** The addresses from proxies before this server, and the address of the client. */
function forwardedFor(request: ApiRequest, address: string): string {
  const previousProxies = request.header('x-forwarded-for') ?? '';
  return previousProxies === '' || address === '' ? previousProxies + address : `${previousProxies}, ${address}`;
}

const mappedPrefix = '::ffff:';

/** Calls that never left the process come from nowhere. */
function addressOf({ peer }: ApiRequest): string {
  const { address, trustedUser } = peer;
  if (trustedUser !== undefined) return '';
  return address.startsWith(mappedPrefix) ? address.slice(mappedPrefix.length) : address;
}

/** Throws where a part of the identity cannot stand in a header: it would be read as something else. */
export function userHeaders({ name, uid, groups, extra }: UserInfo): Headers {
  const headers: Headers = { 'x-remote-user': value('X-Remote-User', name) };
  if (uid !== undefined && uid !== '') headers['x-remote-uid'] = value('X-Remote-Uid', uid);
  if (groups.length > 0) headers['x-remote-group'] = groups.map((group) => value('X-Remote-Group', group));
  for (const [key, values] of Object.entries(extra ?? {})) {
    const header = `X-Remote-Extra-${escapedKey(key)}`;
    if (values.length > 0) headers[header.toLowerCase()] = values.map((one) => value(header, one));
  }
  return headers;
}

/** Headers are bytes: those of UTF-8 go as they are. */
function value(header: string, text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be sent
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) throw new Error(`net/http: invalid header field value for "${header}"`);
  return Buffer.from(text).toString('latin1');
}

/** Bytes that no name of a header may have are percent-encoded. */
function escapedKey(key: string): string {
  return Buffer.from(key)
    .toString('latin1')
    .replace(
      /[^!#$&'*+.0-9A-Z^_`a-z|~-]/g,
      (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
}
