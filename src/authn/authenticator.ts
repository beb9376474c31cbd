// Authentication: authenticators run in order, and the first that recognises the caller decides.

import type { MaybePromise } from '../base/maybe-promise.ts';
import { trimEnds } from '../base/text/trim-ends.ts';
import type { ApiRequest } from '../meta/exchange.ts';
import { unauthorized } from '../meta/status.ts';
import type { TokenOwner, Tokens } from '../meta/tokens.ts';
import { anonymousUser, authenticated, type UserInfo } from '../meta/user.ts';

/** Receives warnings and audit annotations about credentials. */
interface CredentialNotes {
  warn(text: string): void;
  annotate(key: string, value: string): void;
}

/** Undefined if the request has no credentials of this kind: the next one is tried. Throws 401 for wrong credentials. */
export type Authenticator = (request: ApiRequest, notes: CredentialNotes) => MaybePromise<UserInfo | undefined>;

/** Under the name by which traces show the authenticator. */
export function named(name: string, authenticator: Authenticator): Authenticator {
  return Object.defineProperty(authenticator, 'name', { value: name });
}

/** Calls inside the process name their user themselves. */
export const inProcess: Authenticator = ({ peer }) => peer.trustedUser;

/** `Authorization: Bearer <token>`; a token that no authenticator knows is refused, even where no credentials are needed. */
export function bearerToken(tokens: Pick<Tokens, 'check' | 'audiences'>): Authenticator {
  return (request, notes) => {
    const header = request.header('authorization');
    const token = header === undefined ? undefined : tokenIn(header, notes);
    return token === undefined ? undefined : ownerOf(tokens, token, notes);
  };
}

/** The user of a token; its warnings and annotations are added to `notes`. */
export async function ownerOf(
  tokens: Pick<Tokens, 'check' | 'audiences'>,
  token: string,
  notes: CredentialNotes,
): Promise<UserInfo> {
  const outcome = await tokens.check(token, tokens.audiences);
  if (!outcome.known) throw unauthorized();
  passOn(outcome.owner, notes);
  return authenticated(outcome.owner.user);
}

function passOn({ notes: given }: TokenOwner, notes: CredentialNotes): void {
  if (given === undefined) return;
  for (const text of given.warnings) notes.warn(text);
  for (const [key, value] of Object.entries(given.annotations)) notes.annotate(key, value);
}

function tokenIn(header: string, notes: CredentialNotes): string | undefined {
  // no more than blanks is taken away around it: trim() would give a token two spellings, with a non-breaking space
  const [scheme = '', token, after] = trimEnds(header, isBlank).split(' ', 3);
  if (scheme.toLowerCase() !== 'bearer' || token === undefined) return undefined;
  if (token !== '') return token;
  if (after !== undefined)
    notes.warn('the provided Authorization header contains extra space before the bearer token, and is ignored');
  return undefined;
}

const isBlank = (character: string) => character === ' ' || character === '\t';

/** Every other caller, as `system:anonymous`, where that is allowed. */
export function anonymous(isAllowed: (path: string) => boolean): Authenticator {
  return ({ path }) => (isAllowed(path) ? anonymousUser : undefined);
}
