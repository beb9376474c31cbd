// The text of an expression, and errors that point into it.

/** A fault in an expression, at an offset of its text. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** The syntax errors of an expression. */
export class SyntaxIssues extends Error {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super(issues[0]?.message);
    this.issues = issues;
  }
}

/** Ends the reading of an expression: what follows makes no sense. */
export class SyntaxIssue extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

interface Location {
  /** From 1. */
  readonly line: number;
  /** In code points, from 0. */
  readonly column: number;
  readonly text: string;
}

/** Finds places in the order of the text, and reads it once for all of them. */
class Locator {
  readonly #source: string;
  #at = 0;
  #start = 0;
  #line = 1;
  #column = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** `at` must not be before the place of the last call. */
  locate(at: number): Location {
    while (this.#at < at) this.#step();
    const end = this.#source.indexOf('\n', at);
    return {
      line: this.#line,
      column: this.#column,
      text: this.#source.slice(this.#start, end < 0 ? undefined : end),
    };
  }

  #step(): void {
    const point = this.#source.codePointAt(this.#at) ?? 0;
    this.#at += point > 0xffff ? 2 : 1;
    this.#column++;
    if (point !== newline) return;
    this.#start = this.#at;
    this.#line++;
    this.#column = 0;
  }
}

const newline = 0x0a;

/** More issues than this help no author. */
const maxIssues = 100;
/** Longer lines are not shown. */
const maxLine = 10_000;

/** The issues as users know them: place, message, the line, and a mark under the place. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  // compat: an expression without a character has no line, and its column is 0
  if (source === '') return issues.map(({ message }) => `ERROR: <input>:1:0: ${message}`).join('\n');
  const sorted = [...issues].sort((a, b) => a.at - b.at);
  const locator = new Locator(source);
  const shownIssues = sorted.slice(0, maxIssues).map((issue) => formatIssue(locator.locate(issue.at), issue.message));
  const rest = sorted.length - shownIssues.length;
  return [...shownIssues, ...(rest > 0 ? [`${rest} more errors were truncated`] : [])].join('\n');
}

function formatIssue({ line, column, text }: Location, message: string): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  if (text.length > maxLine) return head;
  const points = [...text.replaceAll('\t', ' ')];
  const dots = points.slice(0, column).map((point) => (isWide(point) ? '．' : '.'));
  while (dots.length < column) dots.push('.');
  return `${head}\n | ${points.join('')}\n | ${dots.join('')}${isWide(points[column] ?? ' ') ? '＾' : '^'}`;
}

/** Characters outside of ASCII are marked in full width. */
const isWide = (point: string): boolean => (point.codePointAt(0) ?? 0) > 0x7f;
