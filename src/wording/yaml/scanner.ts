// The tokens of a YAML text by the rules of version 1.1: where blocks begin and end, and what turns out to be a key when its colon
// comes. It is asked for the words about a text that the library refuses.

import { Cursor, type Mark } from './cursor.ts';
import { Queue } from './queue.ts';
import { type Directive, scanBlock, scanDirective, scanName, scanPlain, scanQuoted, scanTag } from './scan-scalars.ts';

export type TokenKind =
  | 'stream end'
  | 'directive'
  | 'document start'
  | 'document end'
  | 'block sequence'
  | 'block mapping'
  | 'block end'
  | 'entry'
  | 'key'
  | 'value'
  | 'flow sequence'
  | 'flow sequence end'
  | 'flow mapping'
  | 'flow mapping end'
  | 'flow entry'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export interface Token {
  readonly kind: TokenKind;
  readonly mark: Mark;
  /** Of an anchor, an alias, a tag. */
  readonly name?: string;
  readonly directive?: Directive;
}

/** Something that is a key if a colon follows. */
interface MaybeKey {
  readonly mark: Mark;
  /** The number of the token that it begins with. */
  readonly token: number;
  /** Nothing else can stand there. */
  readonly isRequired: boolean;
}

/** A key and its colon are on one line, at most so far from each other. */
const longestKey = 1024;

const flowMarks: Readonly<Record<string, TokenKind>> = {
  '[': 'flow sequence',
  '{': 'flow mapping',
  ']': 'flow sequence end',
  '}': 'flow mapping end',
  ',': 'flow entry',
};
const startsNoPlain = new Set('-?:,[]{}#&*!|>\'"%@`');

export class Scanner {
  readonly #cursor: Cursor;
  readonly #tokens = new Queue<Token>();
  /** Tokens that were taken. */
  #taken = 0;
  #indent = -1;
  readonly #outerIndents: number[] = [];
  /** One of each level of brackets, and one outside of them. */
  readonly #maybeKeys: (MaybeKey | undefined)[] = [undefined];
  /** The level of what may be a key, by its token, and the token by its level. */
  readonly #levels = new Map<number, number>();
  readonly #numbers: number[] = [0];
  #isKeyAllowed = true;
  #isOver = false;

  constructor(text: string) {
    this.#cursor = new Cursor(text);
  }

  peek(): Token {
    while (this.#needsMore()) this.#fetch();
    return this.#tokens.first as Token;
  }

  take(): Token {
    const token = this.peek();
    this.#tokens.shift();
    this.#levels.delete(this.#taken++);
    return token;
  }

  get #level(): number {
    return this.#maybeKeys.length - 1;
  }

  /** The first token is known only when it is known whether it is part of a key. */
  #needsMore(): boolean {
    if (this.#tokens.length === 0) return !this.#isOver;
    const at = this.#levels.get(this.#taken);
    return at !== undefined && this.#maybeKeys[at]?.token === this.#taken && this.#isStillKey(at);
  }

  #isStillKey(at: number): boolean {
    const key = this.#maybeKeys[at];
    if (key === undefined) return false;
    if (key.mark.line === this.#cursor.line && key.mark.index + longestKey >= this.#cursor.index) return true;
    if (key.isRequired) throw this.#cursor.fault("could not find expected ':'");
    this.#maybeKeys[at] = undefined;
    return false;
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unroll(cursor.column);
    const char = cursor.peek();
    if (cursor.isEnd()) this.#fetchEnd();
    else if (cursor.column === 0 && char === '%') this.#fetchDirective();
    else if (cursor.isDocumentMark()) this.#fetchDocumentMark(char);
    else if (Object.hasOwn(flowMarks, char)) this.#fetchFlow(char);
    else if (char === '-' && cursor.isGap(1)) this.#fetchEntry();
    else if (char === '?' && (this.#level > 0 || cursor.isGap(1))) this.#fetchKey();
    else if (char === ':' && (this.#level > 0 || cursor.isGap(1))) this.#fetchValue();
    else this.#fetchNode(char);
  }

  #fetchNode(char: string): void {
    const cursor = this.#cursor;
    if ((char === '|' || char === '>') && this.#level === 0) {
      this.#dropKey();
      this.#isKeyAllowed = true;
      this.#add('scalar', cursor.mark);
      scanBlock(cursor, this.#indent);
      return;
    }
    const scan = this.#scanOf(char);
    if (scan === undefined) throw cursor.fault('found character that cannot start any token');
    this.#saveKey();
    this.#isKeyAllowed = false;
    const { mark } = cursor;
    this.#tokens.push({ ...scan(), mark });
  }

  /** How what begins with a character is read; undefined where nothing does. */
  #scanOf(char: string): (() => Omit<Token, 'mark'>) | undefined {
    const cursor = this.#cursor;
    switch (char) {
      case '*':
        return () => ({ kind: 'alias', name: scanName(cursor) });
      case '&':
        return () => ({ kind: 'anchor', name: scanName(cursor) });
      case '!':
        return () => ({ kind: 'tag', name: scanTag(cursor) });
      case '"':
      case "'":
        return () => {
          scanQuoted(cursor);
          return { kind: 'scalar' };
        };
      default:
        return this.#startsPlain(char) ? () => this.#plain() : undefined;
    }
  }

  #startsPlain(char: string): boolean {
    const cursor = this.#cursor;
    if (!startsNoPlain.has(char) && !cursor.isGap()) return true;
    if (char === '-') return !cursor.isBlank(1);
    return this.#level === 0 && (char === '?' || char === ':') && !cursor.isGap(1);
  }

  #plain(): Omit<Token, 'mark'> {
    const isNewLine = scanPlain(this.#cursor, { indent: this.#indent, isFlow: this.#level > 0 });
    if (isNewLine) this.#isKeyAllowed = true;
    return { kind: 'scalar' };
  }

  /** Spaces, comments and line breaks. Tabs are none where a key could stand. */
  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      while (cursor.peek() === ' ' || (cursor.peek() === '\t' && (this.#level > 0 || !this.#isKeyAllowed)))
        cursor.skip();
      if (cursor.peek() === '#') cursor.skipToBreak();
      if (!cursor.isBreak()) return;
      cursor.skipBreak();
      if (this.#level === 0) this.#isKeyAllowed = true;
    }
  }

  #fetchEnd(): void {
    this.#cursor.leaveLastLine();
    this.#beginDocument();
    this.#add('stream end', this.#cursor.mark);
    this.#isOver = true;
  }

  #fetchDirective(): void {
    this.#beginDocument();
    const { mark } = this.#cursor;
    this.#tokens.push({ kind: 'directive', mark, directive: scanDirective(this.#cursor) });
  }

  #fetchDocumentMark(char: string): void {
    this.#beginDocument();
    this.#add(char === '-' ? 'document start' : 'document end', this.#cursor.mark);
    this.#cursor.skip(3);
  }

  #beginDocument(): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#isKeyAllowed = false;
  }

  #fetchFlow(char: string): void {
    const kind = flowMarks[char] as TokenKind;
    const opens = char === '[' || char === '{';
    if (opens) this.#saveKey();
    else this.#dropKey();
    if (opens) this.#openLevel();
    else if (char !== ',' && this.#level > 0) this.#closeLevel();
    this.#isKeyAllowed = opens || char === ',';
    this.#add(kind, this.#cursor.mark);
    this.#cursor.skip();
  }

  #openLevel(): void {
    this.#maybeKeys.push(undefined);
    this.#numbers.push(this.#taken + this.#tokens.length);
  }

  /** Empty brackets are not waited for, though they may be a key: that shows in what is told to be wrong. */
  #closeLevel(): void {
    this.#maybeKeys.pop();
    this.#levels.delete(this.#numbers.pop() ?? 0);
  }

  #fetchEntry(): void {
    if (this.#level === 0) this.#beginBlock('block sequence', 'block sequence entries');
    this.#dropKey();
    this.#isKeyAllowed = true;
    this.#addMark('entry');
  }

  #fetchKey(): void {
    if (this.#level === 0) this.#beginBlock('block mapping', 'mapping keys');
    this.#dropKey();
    this.#isKeyAllowed = this.#level === 0;
    this.#addMark('key');
  }

  #fetchValue(): void {
    const at = this.#level;
    const key = this.#isStillKey(at) ? this.#maybeKeys[at] : undefined;
    if (key === undefined) {
      if (this.#level === 0) this.#beginBlock('block mapping', 'mapping values');
      this.#isKeyAllowed = this.#level === 0;
    } else {
      this.#insert({ kind: 'key', mark: key.mark }, key.token - this.#taken);
      this.#roll('block mapping', key.mark, key.token - this.#taken);
      this.#maybeKeys[at] = undefined;
      this.#isKeyAllowed = false;
    }
    this.#addMark('value');
  }

  #beginBlock(kind: TokenKind, what: string): void {
    if (!this.#isKeyAllowed) throw this.#cursor.fault(`${what} are not allowed in this context`);
    this.#roll(kind, this.#cursor.mark, this.#tokens.length);
  }

  /** A column further right than that of the block begins another one. */
  #roll(kind: TokenKind, mark: Mark, at: number): void {
    if (this.#level > 0 || this.#indent >= mark.column) return;
    this.#outerIndents.push(this.#indent);
    this.#indent = mark.column;
    this.#insert({ kind, mark }, at);
  }

  /** Before tokens that are not taken yet; where that is too late, behind them. */
  #insert(token: Token, at: number): void {
    if (at < 0) this.#tokens.push(token);
    else this.#tokens.insert(token, at);
  }

  #unroll(column: number): void {
    if (this.#level > 0) return;
    while (this.#indent > column) {
      this.#add('block end', this.#cursor.mark);
      this.#indent = this.#outerIndents.pop() ?? -1;
    }
  }

  #saveKey(): void {
    if (!this.#isKeyAllowed) return;
    const isRequired = this.#level === 0 && this.#indent === this.#cursor.column;
    this.#dropKey();
    const token = this.#taken + this.#tokens.length;
    this.#maybeKeys[this.#level] = { mark: this.#cursor.mark, token, isRequired };
    this.#levels.set(token, this.#level);
    this.#numbers[this.#level] = token;
  }

  #dropKey(): void {
    if (this.#maybeKeys[this.#level]?.isRequired) throw this.#cursor.fault("could not find expected ':'");
    this.#maybeKeys[this.#level] = undefined;
  }

  #addMark(kind: TokenKind): void {
    this.#add(kind, this.#cursor.mark);
    this.#cursor.skip();
  }

  #add(kind: TokenKind, mark: Mark): void {
    this.#tokens.push({ kind, mark });
  }
}
