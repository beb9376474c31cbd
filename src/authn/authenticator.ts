// Who is calling: authenticators in order, the first that recognises the caller decides.

import type { MaybePromise } from '../base/maybe-promise.ts';
import { trimEnds } from '../base/trim-ends.ts';
import type { ApiRequest } from '../meta/exchange.ts';
import { unauthorized } from '../meta/status.ts';
import type { Tokens } from '../meta/tokens.ts';
import { anonymousUser, authenticated, type UserInfo } from '../meta/user.ts';

/** Undefined: these are not my credentials, ask the next one. Throws 401 for credentials that are wrong. */
export type Authenticator = (request: ApiRequest) => MaybePromise<UserInfo | undefined>;

/** Calls that never left the process say themselves who they are. */
export const inProcess: Authenticator = ({ peer }) => peer.trustedUser;

/** `Authorization: Bearer <token>`; a token that no authenticator knows is refused, even where no credentials are needed. */
export function bearerToken(tokens: Pick<Tokens, 'check' | 'audiences'>): Authenticator {
  return (request) => {
    const header = request.header('authorization');
    const token = header === undefined ? undefined : tokenIn(header);
    if (token === undefined) return undefined;
    return tokens.check(token, tokens.audiences).then((outcome) => {
      if (!outcome.known) throw unauthorized();
      return authenticated(outcome.owner.user);
    });
  };
}

function tokenIn(header: string): string | undefined {
  // no more than blanks is taken away around it: trim() would give a token two spellings, with a non-breaking space
  const [scheme = '', token = ''] = trimEnds(header, isBlank).split(' ', 3);
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined;
}

const isBlank = (character: string) => character === ' ' || character === '\t';

/** Every other caller, as `system:anonymous`, where that is allowed. */
export function anonymous(isAllowed: (path: string) => boolean): Authenticator {
  return ({ path }) => (isAllowed(path) ? anonymousUser : undefined);
}
