// Bearer tokens: several authorities in order, the first that knows a token decides.

import type { TokenOutcome, TokenOwner } from '../meta/tokens.ts';

/**
 * Undefined: not a token of mine. A TokenError: mine, and not valid. `audiences` are those of which the token has
 * to be for at least one.
 */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[],
) => Promise<TokenOwner | undefined> | TokenOwner | undefined;

/** Why a token is refused; the text never contains the token. */
export class TokenError extends Error {}

export async function checkToken(
  authenticators: readonly TokenAuthenticator[],
  token: string,
  audiences: readonly string[],
): Promise<TokenOutcome> {
  const errors: string[] = [];
  for (const authenticate of authenticators) {
    try {
      const owner = await authenticate(token, audiences);
      if (owner !== undefined) return { known: true, owner };
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      errors.push(error.message);
    }
  }
  return { known: false, errors: ['invalid bearer token', ...errors] };
}

/** The audiences that both sides mean. */
export const shared = (own: readonly string[], requestedAudiences: readonly string[]) =>
  requestedAudiences.filter((one) => own.includes(one));

/** Tokens that know nothing of audiences are for this server. */
export function forServer(user: TokenOwner['user'], own: readonly string[], requestedAudiences: readonly string[]) {
  const audiences = shared(own, requestedAudiences);
  return audiences.length === 0 ? undefined : { user, audiences };
}
