// The values of literal tokens.

import type { TokenKind } from './lexer.ts';
import { readInt, readUint, unescapeBytes, unescapeText } from './literals.ts';
import { UintValue, type Value } from './values.ts';

/** Why a literal has no value. */
interface Fault {
  readonly fault: string;
}

/** By the kind of the token; of other tokens there is no value. */
export const readers: Partial<Readonly<Record<TokenKind, (text: string, negative: boolean) => Value | Fault>>> = {
  int: (text, negative) => readInt(text, negative) ?? { fault: 'invalid int literal' },
  uint: (text) => {
    const value = readUint(text.slice(0, -1));
    return value === undefined ? { fault: 'invalid uint literal' } : new UintValue(value);
  },
  double: (text, negative) => {
    const value = Number(text);
    return Number.isFinite(value) ? (negative ? -value : value) : { fault: 'invalid double literal' };
  },
  string: (text) => {
    const { body, raw } = unquote(text);
    return (raw ? body : unescapeText(body)) ?? { fault: `unable to unescape string` };
  },
  bytes: (text) => {
    const { body, raw } = unquote(text.slice(1));
    return (raw ? Buffer.from(body) : unescapeBytes(body)) ?? { fault: `unable to unescape string` };
  },
};

/** Line breaks are read as one character, however they are written. */
function unquote(text: string): { body: string; raw: boolean } {
  const raw = /^[rR]/.test(text);
  const quoted = (raw ? text.slice(1) : text).replace(/\r\n?/g, '\n');
  const marks = /^("""|''')/.test(quoted) ? 3 : 1;
  return { raw, body: quoted.slice(marks, -marks) };
}
