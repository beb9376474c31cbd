// A place in a YAML text, and what is wrong there.

/** Counted from zero. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

export class YamlFault extends Error {}

/** compat: the first line of a YAML body is not told */
export function faultAt(problem: string, line: number): YamlFault {
  return new YamlFault(line === 0 ? problem : `line ${line}: ${problem}`);
}

const breaks = new Set(['\n', '\r', '\u0085', '\u2028', '\u2029']);
const alphanumeric = /^[0-9A-Za-z_-]$/;

export class Cursor {
  readonly #text: string;
  index = 0;
  line = 0;
  column = 0;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\ufeff')) this.index = 1;
  }

  get mark(): Mark {
    const { index, line, column } = this;
    return { index, line, column };
  }

  /** The character so many places on; empty behind the end. */
  peek(ahead = 0): string {
    return this.#text[this.index + ahead] ?? '';
  }

  isEnd(ahead = 0): boolean {
    return this.index + ahead >= this.#text.length;
  }

  isBlank(ahead = 0): boolean {
    const char = this.peek(ahead);
    return char === ' ' || char === '\t';
  }

  isBreak(ahead = 0): boolean {
    return breaks.has(this.peek(ahead));
  }

  isBreakOrEnd(ahead = 0): boolean {
    return this.isEnd(ahead) || this.isBreak(ahead);
  }

  /** Whether a word ends before this place. */
  isGap(ahead = 0): boolean {
    return this.isBlank(ahead) || this.isBreakOrEnd(ahead);
  }

  isWordChar(ahead = 0): boolean {
    return alphanumeric.test(this.peek(ahead));
  }

  /** At the begin of a line that begins or ends a document. */
  isDocumentMark(): boolean {
    if (this.column !== 0 || !this.isGap(3)) return false;
    return this.#text.startsWith('---', this.index) || this.#text.startsWith('...', this.index);
  }

  skip(count = 1): void {
    this.index += count;
    this.column += count;
  }

  skipBlanks(): void {
    while (this.isBlank()) this.skip();
  }

  skipToBreak(): void {
    while (!this.isBreakOrEnd()) this.skip();
  }

  skipBreak(): void {
    this.index += this.peek() === '\r' && this.peek(1) === '\n' ? 2 : 1;
    this.line++;
    this.column = 0;
  }

  /** The text of a word; empty where there is none. */
  word(): string {
    const from = this.index;
    while (this.isWordChar()) this.skip();
    return this.#text.slice(from, this.index);
  }

  /** What scanning finds wrong, here or at an end of the text that it came to. */
  fault(problem: string): YamlFault {
    return faultAt(problem, this.line === 0 ? 0 : this.line + 1);
  }

  /** What comes behind the last line. */
  leaveLastLine(): void {
    if (this.column === 0) return;
    this.column = 0;
    this.line++;
  }
}
