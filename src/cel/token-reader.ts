// Reads tokens in order, and reports those that are not expected where they are.

import type { Token } from './lexer.ts';
import { type Issue, SyntaxIssue } from './source.ts';

/** Operators between two operands; those of a higher rank bind first. */
export const ranks: ReadonlyMap<string, number> = new Map([
  ...['<', '<=', '>', '>=', '==', '!=', 'in'].map((text) => [text, 1] as const),
  ...['+', '-'].map((text) => [text, 2] as const),
  ...['*', '/', '%'].map((text) => [text, 3] as const),
]);
/** What messages call the tokens that may begin an operand. */
const operandWords = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
export const operandStarts = `{'[', '{', '(', '.', '-', '!', ${operandWords}}`;
/** The first token in brackets: its name in messages, and its alternatives to an operand. */
const firsts = {
  call: { words: `{'[', '{', '(', ')', '.', '-', '!', ${operandWords}}`, others: [')'] },
  index: { words: `{'[', '{', '(', '.', '-', '!', '?', ${operandWords}}`, others: ['?'] },
  list: { words: `{'[', ']', '{', '(', '.', ',', '-', '!', '?', ${operandWords}}`, others: [']', ',', '?'] },
  map: { words: `{'[', '{', '}', '(', '.', ',', '-', '!', '?', ${operandWords}}`, others: ['}', ',', '?'] },
} as const;
/** What may follow an operand, besides what closes the brackets around it. */
const operators = new Set(['||', '&&', '?', '.', '[', ...ranks.keys()]);

export class TokenReader {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly issues: Issue[];
  /** What closes the brackets around the place, and what may stand there instead; the innermost last. */
  readonly closers: string[] = ['<EOF>'];
  /** After an issue nothing is reported until a token is read that makes sense. */
  isRecovering = false;
  #next = 0;

  constructor(source: string, tokens: readonly Token[], issues: readonly Issue[]) {
    this.#source = source;
    this.#tokens = tokens;
    this.issues = [...issues];
  }

  get token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  get before(): Token {
    return this.#tokens[this.#next - 1] as Token;
  }

  get after(): Token {
    return this.#tokens[this.#next + 1] ?? this.token;
  }

  advance(): Token {
    const token = this.token;
    if (token.kind !== 'end') this.#next++;
    this.isRecovering = false;
    return token;
  }

  isSymbol(text: string): boolean {
    return this.token.kind === 'symbol' && this.token.text === text;
  }

  accept(text: string): Token | undefined {
    return this.isSymbol(text) ? this.advance() : undefined;
  }

  /** A token too much before it is left out, and one that is missing is thought of. */
  expect(text: string): Token {
    const token = this.accept(text);
    if (token !== undefined) return token;
    const { at } = this.token;
    if (this.after.kind === 'symbol' && this.after.text === text) {
      this.report(at, this.stray(true, `'${text}'`));
      this.advance();
      return this.advance();
    }
    const mayFollow = text === ':' ? this.startsOperand(this.token) : this.mayFollow(this.token);
    if (!mayFollow) this.fail(this.stray(false, `'${text}'`));
    this.report(at, `Syntax error: missing '${text}' at '${this.token.text}'`);
    return { kind: 'symbol', text, at };
  }

  stray(isAlone: boolean, expected: string): string {
    return `Syntax error: ${isAlone ? 'extraneous' : 'mismatched'} input '${this.token.text}' expecting ${expected}`;
  }

  report(at: number, message: string): void {
    if (!this.isRecovering) this.issues.push({ at, message });
  }

  fail(message: string): never {
    throw new SyntaxIssue(this.token.at, message);
  }

  /** Whether a token may come after an operand. */
  mayFollow({ kind, text }: Token): boolean {
    const isWord = kind === 'symbol' || kind === 'end' || text === 'in';
    return isWord && (operators.has(text) || (this.closers.at(-1) as string).split(' ').includes(text));
  }

  startsOperand({ kind, text }: Token): boolean {
    if (kind === 'symbol') return '[{(.-!'.includes(text);
    return kind !== 'end' && kind !== 'escaped' && text !== 'in';
  }

  /** Reports that the grammar has no alternative here. */
  noWay(from: Token): string {
    const { at, kind, text } = this.token;
    const input = this.#source.slice(from.at, kind === 'end' ? from.at + from.text.length : at + text.length);
    return `Syntax error: no viable alternative at input '${input}'`;
  }

  /** Brackets that begin with something strange: it is left out where what follows makes sense. */
  checkFirst(kind: keyof typeof firsts): void {
    const { words, others } = firsts[kind];
    const fits = (token: Token): boolean =>
      this.startsOperand(token) || (token.kind === 'symbol' && (others as readonly string[]).includes(token.text));
    if (fits(this.token)) return;
    const isAlone = fits(this.after);
    this.report(this.token.at, this.stray(isAlone, words));
    if (isAlone) this.advance();
    else this.isRecovering = true;
  }

  /** What comes after an item. */
  checkNext(close: string): void {
    const fits = ({ kind, text }: Token): boolean => kind === 'symbol' && (text === ',' || text === close);
    if (fits(this.token)) return;
    const isAlone = fits(this.after);
    const issue = this.stray(isAlone, `{'${close}', ','}`);
    if (!isAlone) this.fail(issue);
    this.report(this.token.at, issue);
    this.advance();
  }

  isNumber(ahead: number): boolean {
    const kind = this.#tokens[this.#next + ahead]?.kind;
    return kind === 'int' || kind === 'double';
  }
}
