// The text of an expression, and errors that point into it.

/** A fault in an expression, at an offset of its text. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Ends the reading of an expression: what follows a syntax error makes no sense. */
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

function locate(source: string, at: number): Location {
  const before = source.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  const end = source.indexOf('\n', at);
  return {
    line: before.split('\n').length,
    column: [...before.slice(start)].length,
    text: source.slice(start, end < 0 ? undefined : end),
  };
}

/** More issues than this help no author. */
const maxIssues = 100;
/** Longer lines are not shown. */
const maxLine = 10_000;

/** The issues as users know them: place, message, the line, and a mark under the place. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  const sorted = [...issues].sort((a, b) => a.at - b.at);
  const shown = sorted.slice(0, maxIssues).map((issue) => formatIssue(source, issue));
  const rest = sorted.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more errors were truncated`] : [])].join('\n');
}

function formatIssue(source: string, { at, message }: Issue): string {
  const { line, column, text } = locate(source, at);
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
  if (text.length > maxLine) return head;
  const points = [...text.replaceAll('\t', ' ')];
  const dots = points.slice(0, column).map((point) => (isWide(point) ? '．' : '.'));
  while (dots.length < column) dots.push('.');
  return `${head}\n | ${points.join('')}\n | ${dots.join('')}${isWide(points[column] ?? ' ') ? '＾' : '^'}`;
}

/** Characters outside of ASCII are marked in full width. */
const isWide = (point: string): boolean => (point.codePointAt(0) ?? 0) > 0x7f;
