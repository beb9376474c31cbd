// The claims that every signed token has in common: and what they may look like.

import type { JsonValue } from '../base/json/json.ts';
import type { Claims } from './jwt.ts';

const times = ['exp', 'nbf', 'iat'] as const;

/**
 * Why the times or audiences of a token cannot be read; undefined where they can. A claim of a wrong type must not
 * count as one that is missing: a token would have no end, or be for this server.
 */
export function unreadableClaim(claims: Claims): string | undefined {
  const time = times.find((name) => claims[name] !== undefined && !Number.isFinite(claims[name]));
  if (time !== undefined) return `the claim ${time} is not a number of seconds`;
  const { aud } = claims;
  if (aud === undefined || isAudience(aud)) return undefined;
  if (Array.isArray(aud) && aud.length > 0 && aud.every(isAudience)) return undefined;
  return 'the claim aud names no audience';
}

const isAudience = (value: JsonValue): value is string => typeof value === 'string' && value !== '';

/** The audiences of a token whose claims can be read. */
export function audiencesOf({ aud }: Claims): readonly string[] {
  return [aud ?? []].flat().filter(isAudience);
}
