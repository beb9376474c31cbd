// What another server is told with a request: who asks, through which proxies, and what the client itself said, except
// for its credentials.

import { type IdentityHeaders, passedHeaders } from '../handlers/connect/passed-headers.ts';
import type { ApiRequest, Exchange } from '../meta/exchange.ts';
import type { UserInfo } from '../meta/user.ts';
import type { BackendRequest } from './backend-call.ts';

type Headers = Record<string, string | readonly string[]>;

interface Asked {
  /** Host and port of the other server. */
  readonly authority: string;
  readonly path: string;
  readonly upgrades: boolean;
  /** Headers by which this server learns who a client is. */
  readonly identityHeaders: IdentityHeaders;
}

/** Whether there is a body, and how long it is, is for others to say. */
export function forwardedHeaders(
  { request, user, id }: Exchange,
  { authority, path, upgrades, identityHeaders }: Asked,
): Pick<BackendRequest, 'headers'> & { readonly ownHeaders: Record<string, string> } {
  const sent = request.headers();
  const said = { sent, address: addressOf(request), authority, upgrades, identityHeaders };
  const before = saidBefore.get(user);
  let headers: Headers;
  if (before !== undefined && isSame(before, said)) headers = before.headers;
  else {
    headers = { ...sharedHeaders(request, said), ...userHeaders(user) };
    if (isShort(sent)) saidBefore.set(user, { ...said, headers });
  }
  return { headers, ownHeaders: upgrades ? { 'audit-id': id } : { 'x-forwarded-uri': path, 'audit-id': id } };
}

/** All that the headers are made of that several requests may share. */
interface Said {
  readonly sent: ReturnType<ApiRequest['headers']>;
  readonly address: string;
  readonly authority: string;
  readonly upgrades: boolean;
  readonly identityHeaders: IdentityHeaders;
}

/** What the last request of a user said. Authenticators remember users, and most clients say the same every time. */
const saidBefore = new WeakMap<UserInfo, Said & { readonly headers: Headers }>();

/** More of a request is not kept: there may be many users. */
const maxKept = 2048;

function isShort(sent: Said['sent']): boolean {
  let length = 0;
  for (const [name, value] of sent) length += name.length + value.length;
  return length <= maxKept;
}

function isSame(before: Said, said: Said): boolean {
  if (before.address !== said.address || before.authority !== said.authority) return false;
  // several servers of one process may know the same user, and hide other headers
  if (before.identityHeaders !== said.identityHeaders) return false;
  if (before.upgrades !== said.upgrades || before.sent.length !== said.sent.length) return false;
  for (let at = 0; at < said.sent.length; at++) {
    const [name, value] = said.sent[at] as readonly [string, string];
    const [nameBefore, valueBefore] = before.sent[at] as readonly [string, string];
    if (name !== nameBefore || value !== valueBefore) return false;
  }
  return true;
}

function sharedHeaders(request: ApiRequest, { sent, address, authority, upgrades, identityHeaders }: Said): Headers {
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

/** This server says them itself. */
const ofOneRequest = ['x-forwarded-uri', 'audit-id', 'content-length'];

/** What proxies before this server said, and where the request came from. */
function forwardedFor(request: ApiRequest, address: string): string {
  const given = request.header('x-forwarded-for') ?? '';
  return given === '' || address === '' ? given + address : `${given}, ${address}`;
}

const mapped = '::ffff:';

/** Calls that never left the process come from nowhere. */
function addressOf({ peer }: ApiRequest): string {
  const { address, trustedUser } = peer;
  if (trustedUser !== undefined) return '';
  return address.startsWith(mapped) ? address.slice(mapped.length) : address;
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
