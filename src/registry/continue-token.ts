// The opaque token between two pages of a list: the revision all pages show, and where the next one starts.

import { isJsonObject } from '../base/json/json.ts';
import { JsonSyntaxError, scanJson } from '../base/json/json-scan.ts';
import { type DialectNames, metaGroup } from '../meta/dialect.ts';
import { maxNameLength } from '../meta/names.ts';
import { type Revision, revision } from '../meta/revision.ts';
import { badRequest } from '../meta/status.ts';
import { goQuoted } from '../wording/go-format.ts';
import { jsonForm } from '../wording/type-mismatch.ts';

export interface ContinueToken {
  /** Undefined to go on with whatever there is now: the rest of a list whose snapshot is gone. */
  readonly revision: Revision | undefined;
  /** The last key of the page before, relative to the list's prefix. */
  readonly after: string;
}

/** Format of the token, the one of kube-apiserver, so that a list goes on at another server of the same store; others are refused. */
const versionIn = (dialect: DialectNames) => `${metaGroup(dialect)}/v1`;
/** As long as any namespace and name. */
const maxKeyLength = 64 + maxNameLength + 1;
/** Every character of a key may be an escape of six. */
const maxTokenLength = 9 * maxKeyLength;
/** Stands for the revision of the moment at which the token is used. */
const now = -1;

export function encodeContinue(token: ContinueToken, dialect: DialectNames): string {
  const content = { v: versionIn(dialect), rv: token.revision ?? now, start: `${token.after}\0` };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Throws a 400 for anything this server did not make. */
export function decodeContinue(text: string, dialect: DialectNames): ContinueToken {
  const { v, rv, start } = parse(text);
  if (v !== undefined && typeof v !== 'string')
    throw refuse(`json: cannot unmarshal ${jsonForm(v)} into Go struct field continueToken.v of type string`);
  if (v !== versionIn(dialect))
    throw refuse(`server does not recognize this encoded version ${(v ?? '').slice(0, 100)}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0)
    throw refuse(`incorrect encoded start resourceVersion (version ${versionIn(dialect)})`);
  if (start === undefined || start === '') throw refuse(`encoded start key empty (version ${versionIn(dialect)})`);
  return { revision: rv < 0 ? undefined : revision(rv), after: lastKey(start) };
}

/** The last key before a start; kube-apiserver lets it begin with a slash. */
function lastKey(start: unknown): string {
  if (typeof start !== 'string' || start.length > maxKeyLength) throw refuse('encoded start key is not valid');
  const key = start.startsWith('/') ? start.slice(1) : start;
  if (key.split('/').some((part) => part === '' || part === '.' || part === '..')) throw refuse(start);
  if (!key.endsWith('\0') || key.length === 1) throw refuse('it was not made by this server');
  return key.slice(0, -1);
}

function parse(text: string): Record<string, unknown> {
  if (text.length > maxTokenLength) throw refuse('it is too long');
  const odd = oddByte(text);
  if (odd !== undefined) throw refuse(`illegal base64 data at input byte ${odd}`);
  const bytes = Buffer.from(text, 'base64url');
  try {
    const value = scanJson(bytes.toString('utf8'));
    if (isJsonObject(value)) return value;
    throw refuse(`json: cannot unmarshal ${jsonForm(value)} into Go value of type storage.continueToken`);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw refuse(syntaxProblem(bytes));
  }
}

/** Where a text stops to be base64 for URLs; undefined for nowhere. */
function oddByte(text: string): number | undefined {
  const at = text.search(/[^\w-]/);
  if (at >= 0) return at;
  return text.length % 4 === 1 ? text.length - 1 : undefined;
}

/** compat: what is no JSON is told byte by byte, whatever characters the bytes are part of */
function syntaxProblem(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  try {
    scanJson(text);
    return 'it was not made by this server';
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const byte = goQuoted(text.charAt(error.position)).slice(1, -1);
    return error.message.replace(/^(invalid character) '.*?' /, `$1 '${byte}' `);
  }
}

const refuse = (why: string) => badRequest(`invalid continue token: continue key is not valid: ${why}`);
