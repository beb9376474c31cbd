// The opaque token between two pages of a list: the revision all pages show, and where the next one starts.

import { maxNameLength } from '../meta/names.ts';
import { type Revision, revision } from '../meta/revision.ts';
import { badRequest } from '../meta/status.ts';

export interface ContinueToken {
  /** Undefined to go on with whatever there is now: the rest of a list whose snapshot is gone. */
  readonly revision: Revision | undefined;
  /** The last key of the page before, relative to the list's prefix. */
  readonly after: string;
}

/** Format of the token; others are refused. */
const version = 1;
/** As long as any namespace and name. */
const maxKeyLength = 64 + maxNameLength + 1;
/** Every character of a key may be an escape of six. */
const maxTokenLength = 9 * maxKeyLength;
/** Stands for the revision of the moment at which the token is used. */
const now = -1;

export function encodeContinue(token: ContinueToken): string {
  const content = { v: version, rv: token.revision ?? now, start: `${token.after}\0` };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Throws a 400 for anything this server did not make. */
export function decodeContinue(text: string): ContinueToken {
  const { v, rv, start } = parse(text);
  if (v !== version) throw refuse(`server does not recognize this encoded version ${JSON.stringify(v)?.slice(0, 100)}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || (rv <= 0 && rv !== now)) {
    throw refuse('incorrect encoded start resourceVersion');
  }
  if (!isStart(start)) throw refuse('encoded start key is not valid');
  const token = { revision: rv === now ? undefined : revision(rv), after: start.slice(0, -1) };
  if (encodeContinue(token) !== text) throw refuse('it was not made by this server');
  return token;
}

function isStart(start: unknown): start is string {
  return (
    typeof start === 'string' &&
    start.length > 1 &&
    start.length <= maxKeyLength &&
    start.endsWith('\0') &&
    !start.startsWith('/') &&
    !start.split('/').includes('..')
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    if (text.length > maxTokenLength) throw refuse('it is too long');
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // answered below
  }
  throw refuse('illegal base64 data');
}

const refuse = (why: string) => badRequest(`continue key is not valid: ${why}`);
