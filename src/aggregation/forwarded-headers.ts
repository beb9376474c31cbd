// What another server is told with a request: who asks, through which proxies, and what the client itself said, except
// for its credentials.

import { type IdentityHeaders, passedHeaders } from '../handlers/connect/passed-headers.ts';
import type { ApiRequest, Exchange } from '../meta/exchange.ts';
import type { UserInfo } from '../meta/user.ts';

type Headers = Record<string, string | readonly string[]>;

interface Asked {
  /** Host and port of the other server. */
  readonly authority: string;
  readonly path: string;
  readonly upgrades: boolean;
  /** Headers by which this server learns who a client is. */
  readonly identityHeaders: IdentityHeaders;
}

export function forwardedHeaders({ request, user, id }: Exchange, asked: Asked): Headers {
  const { authority, path, upgrades, identityHeaders } = asked;
  const headers: Headers = passedHeaders(request.headers(), upgrades, identityHeaders);
  if (upgrades) delete headers['x-forwarded-uri'];
  const way = forwardedFor(request);
  if (way !== '') headers['x-forwarded-for'] = way;
  if (!upgrades) {
    headers['x-forwarded-uri'] = path;
    headers['x-forwarded-host'] = authority;
    headers['x-forwarded-proto'] = 'https';
  }
  headers['audit-id'] = id;
  return Object.assign(headers, knownUserHeaders(user));
}

/** What proxies before this server said, and where the request came from. */
function forwardedFor(request: ApiRequest): string {
  const given = request.header('x-forwarded-for') ?? '';
  const address = addressOf(request);
  return given === '' || address === '' ? given + address : `${given}, ${address}`;
}

const mapped = '::ffff:';

/** Calls that never left the process come from nowhere. */
function addressOf({ peer }: ApiRequest): string {
  const { address, trustedUser } = peer;
  if (trustedUser !== undefined) return '';
  return address.startsWith(mapped) ? address.slice(mapped.length) : address;
}

/** Authenticators remember users: so the same one comes with many requests. */
const headersOfUsers = new WeakMap<UserInfo, Headers>();

function knownUserHeaders(user: UserInfo): Headers {
  let headers = headersOfUsers.get(user);
  if (headers === undefined) {
    headers = userHeaders(user);
    headersOfUsers.set(user, headers);
  }
  return headers;
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
