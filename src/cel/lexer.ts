// From text to tokens.

import { StepSize } from '../base/step-size.ts';
import type { Steps } from '../base/steps.ts';
import { SyntaxIssue } from './source.ts';

export type TokenKind = 'identifier' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As written. */
  readonly text: string;
  readonly at: number;
}

/** Each is tried where the last token ended; the order matters. */
const forms: readonly { readonly kind: TokenKind | 'skip'; readonly form: RegExp }[] = [
  { kind: 'skip', form: /(?:[ \t\r\n\f]|\/\/[^\n]*)+/y },
  {
    kind: 'bytes',
    form: /[bB](?:[rR](?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*')/y,
  },
  {
    kind: 'string',
    form: /[rR](?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n\r]*"|'[^'\n\r]*')|"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'/y,
  },
  { kind: 'identifier', form: /[A-Za-z_][A-Za-z0-9_]*/y },
  { kind: 'double', form: /[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?/y },
  { kind: 'uint', form: /(?:0x[0-9a-fA-F]+|[0-9]+)[uU]/y },
  { kind: 'int', form: /0x[0-9a-fA-F]+|[0-9]+/y },
  { kind: 'symbol', form: /==|!=|<=|>=|&&|\|\||[<>+\-*/%!?:.,[\](){}]/y },
];

export function* tokenizing(source: string): Steps<Token[]> {
  const tokens: Token[] = [];
  const step = new StepSize();
  let at = 0;
  while (at < source.length) {
    const token = nextToken(source, at);
    if (token.kind !== 'skip') tokens.push(token as Token);
    at += token.text.length;
    if (step.isFull(1)) yield;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at });
  return tokens;
}

function nextToken(source: string, at: number): { kind: TokenKind | 'skip'; text: string; at: number } {
  for (const { kind, form } of forms) {
    form.lastIndex = at;
    const text = form.exec(source)?.[0];
    if (text !== undefined) return { kind, text, at };
  }
  throw new SyntaxIssue(at, `Syntax error: token recognition error at: '${unreadable(source, at)}'`);
}

/** What cannot be a token: to the end of the line when a quote opens it, else one character. */
function unreadable(source: string, at: number): string {
  const opened = /^[bBrR]{0,2}["'][^\n\r]*/.exec(source.slice(at, at + 200));
  return opened?.[0] ?? String.fromCodePoint(source.codePointAt(at) ?? 0);
}
