// The opaque token between two pages of a list: the revision all pages show, and where the next one starts.

import { type Revision, revision } from '../meta/revision.ts';
import { badRequest } from '../meta/status.ts';

export interface ContinueToken {
  readonly revision: Revision;
  /** The last key of the page before, relative to the list's prefix. */
  readonly after: string;
}

/** Format of the token; others are refused. */
const version = 1;
/** Longer than any namespace and name. */
const maxKeyLength = 1000;

export function encodeContinue(token: ContinueToken): string {
  const content = { v: version, rv: token.revision, start: `${token.after}\0` };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Throws a 400 for anything this server did not make. */
export function decodeContinue(text: string): ContinueToken {
  const content = parse(text);
  const { v, rv, start } = content;
  if (v !== version)
    throw badRequest(`continue key is not valid: server does not recognize this encoded version ${JSON.stringify(v)}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv <= 0) {
    throw badRequest('continue key is not valid: incorrect encoded start resourceVersion');
  }
  if (
    typeof start !== 'string' ||
    !start.endsWith('\0') ||
    start.startsWith('/') ||
    start.length > maxKeyLength ||
    start.split('/').includes('..')
  ) {
    throw badRequest('continue key is not valid: encoded start key is not valid');
  }
  return { revision: revision(rv), after: start.slice(0, -1) };
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // answered below
  }
  throw badRequest('continue key is not valid: illegal base64 data');
}
