// Authenticates requests of the console's page by its session.

import type { Authenticator } from '../authn/authenticator.ts';
import type { ApiRequest } from '../meta/exchange.ts';
import { unauthorized } from '../meta/status.ts';
import { authenticated, type UserInfo } from '../meta/user.ts';
import { isFromOwnPage } from './page-origin.ts';
import type { SessionSecrets, Sessions } from './sessions.ts';

/** Pages of other origins cannot set it: a browser asks the server first, which does not allow it. */
const pageTokenHeader = 'x-keelson-page';

/** More is no secret of a session. */
const maxSecretLength = 128;

/**
 * A cookie without the page token is ignored, for reads too: browsers also send it with requests of other pages on the
 * same host, such as those behind a proxy subresource.
 */
export function consoleSession(sessions: Sessions, user: UserInfo): Authenticator {
  const owner = authenticated(user);
  return (request) => {
    const secrets = secretsIn(request, sessions.cookieName);
    if (secrets === undefined) return undefined;
    if (!isFromOwnPage(request) || !sessions.isOpen(secrets)) throw unauthorized();
    return owner;
  };
}

/** Both secrets of a session; undefined without a page token. */
export function secretsIn(request: ApiRequest, cookieName: string): SessionSecrets | undefined {
  const pageToken = request.header(pageTokenHeader);
  if (pageToken === undefined) return undefined;
  const cookie = cookieOf(request, cookieName);
  const isPlausible = pageToken.length <= maxSecretLength && cookie.length <= maxSecretLength;
  return isPlausible ? { cookie, pageToken } : { cookie: '', pageToken: '' };
}

/** HTTP/2 may send one header for each cookie. */
function cookieOf(request: ApiRequest, name: string): string {
  const prefix = `${name}=`;
  for (const [header, value] of request.headers()) {
    if (header !== 'cookie') continue;
    for (const pair of value.split(';')) {
      const trimmed = pair.trim();
      if (trimmed.startsWith(prefix)) return trimmed.slice(prefix.length);
    }
  }
  return '';
}
