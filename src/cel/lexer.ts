// From text to tokens.

import type { Issue } from './source.ts';

export type TokenKind = 'identifier' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'escaped' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As written. */
  readonly text: string;
  readonly at: number;
}

/** What may follow a backslash in a text. */
const escaping = String.raw`\\(?:[abfnrtv"'\\?${'`'}]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
/** As much of that as may stand before the text ends. */
const escapeStart = String.raw`(?:\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?)?`;
const raw = String.raw`[rR](?:"""[^]*?"""|'''[^]*?'''|"[^"\n\r]*"|'[^'\n\r]*')`;
const long = String.raw`"""(?:[^\\]|${escaping})*?"""|'''(?:[^\\]|${escaping})*?'''`;
const text = String.raw`${raw}|${long}|"(?:[^"\\\n\r]|${escaping})*"|'(?:[^'\\\n\r]|${escaping})*'`;

/** Each is tried where the last token ended; the order matters. */
const forms: readonly { readonly kind: TokenKind | 'skip'; readonly form: RegExp }[] = [
  { kind: 'skip', form: /(?:[ \t\r\n\f]|\/\/[^\n]*)+/y },
  { kind: 'bytes', form: new RegExp(`[bB](?:${text})`, 'y') },
  { kind: 'string', form: new RegExp(text, 'y') },
  { kind: 'identifier', form: /[A-Za-z_][A-Za-z0-9_]*/y },
  { kind: 'escaped', form: /`[A-Za-z0-9_./ -]+`/y },
  { kind: 'double', form: /[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?/y },
  { kind: 'uint', form: /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]/y },
  { kind: 'int', form: /0x[0-9a-fA-F]+|[0-9]+/y },
  { kind: 'symbol', form: /==|!=|<=|>=|&&|\|\||[<>+\-*/%!?:.,[\](){}]/y },
];

/** The beginnings of tokens that do not go on as tokens do. */
const broken = new RegExp(
  String.raw`(?:"(?:[^"\\\n\r]|${escaping})*${escapeStart}|'(?:[^'\\\n\r]|${escaping})*${escapeStart}|${'`'}[A-Za-z0-9_./ -]*|[=&|])?`,
  'y',
);

interface Tokens {
  readonly tokens: readonly Token[];
  /** Characters that are no token are left out of the tokens. */
  readonly issues: readonly Issue[];
}

export function tokenize(source: string): Tokens {
  const tokens: Token[] = [];
  const issues: Issue[] = [];
  let at = 0;
  while (at < source.length) {
    const token = nextToken(source, at);
    const length = token?.text.length ?? brokenLength(source, at);
    if (token === undefined)
      issues.push({ at, message: `Syntax error: token recognition error at: '${source.slice(at, at + length)}'` });
    else if (token.kind !== 'skip') tokens.push(token as Token);
    at += length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at });
  return { tokens, issues };
}

function nextToken(source: string, at: number): { kind: TokenKind | 'skip'; text: string; at: number } | undefined {
  for (const { kind, form } of forms) {
    form.lastIndex = at;
    const match = form.exec(source)?.[0];
    if (match !== undefined) return { kind, text: match, at };
  }
  return undefined;
}

/** Up to the character at which it turned out not to be a token, and with it. */
function brokenLength(source: string, at: number): number {
  broken.lastIndex = at;
  const length = broken.exec(source)?.[0].length ?? 0;
  const next = source.codePointAt(at + length);
  return length + (next === undefined ? 0 : String.fromCodePoint(next).length);
}
