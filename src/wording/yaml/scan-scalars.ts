// Where the scalars, names and directives of a YAML text end, and what can be wrong in them.

import type { Cursor } from './cursor.ts';

/** What plain scalars need to know of where they stand. */
interface Surroundings {
  /** The column of the block they are in; -1 outside of all. */
  readonly indent: number;
  readonly isFlow: boolean;
}

const flowEnds = new Set([',', '?', '[', ']', '{', '}']);

/** Whether the scalar ends with lines that are not its own. */
export function scanPlain(cursor: Cursor, { indent, isFlow }: Surroundings): boolean {
  let isNewLine = false;
  const endsWord = () =>
    cursor.isGap() || (cursor.peek() === ':' && cursor.isGap(1)) || (isFlow && flowEnds.has(cursor.peek()));
  while (!cursor.isDocumentMark() && cursor.peek() !== '#') {
    for (; !endsWord(); cursor.skip()) isNewLine = false;
    if (!cursor.isBlank() && !cursor.isBreak()) break;
    isNewLine = skipSpaces(cursor, indent + 1, isNewLine);
    if (!isFlow && cursor.column < indent + 1) break;
  }
  return isNewLine;
}

/** Blanks and line breaks; whether a line has begun. */
function skipSpaces(cursor: Cursor, column: number, isNewLine: boolean): boolean {
  let begun = isNewLine;
  for (;;) {
    if (cursor.isBreak()) {
      cursor.skipBreak();
      begun = true;
    } else if (cursor.isBlank()) {
      if (begun && cursor.column < column && cursor.peek() === '\t')
        throw cursor.fault('found a tab character that violates indentation');
      cursor.skip();
    } else return begun;
  }
}

/** A scalar in quotes. */
export function scanQuoted(cursor: Cursor): void {
  const quote = cursor.peek();
  cursor.skip();
  for (;;) {
    if (cursor.isDocumentMark()) throw cursor.fault('found unexpected document indicator');
    if (cursor.isEnd()) throw cursor.fault('found unexpected end of stream');
    scanQuotedWord(cursor, quote);
    if (cursor.peek() === quote) break;
    while (cursor.isBlank() || cursor.isBreak()) {
      if (cursor.isBreak()) cursor.skipBreak();
      else cursor.skip();
    }
  }
  cursor.skip();
}

function scanQuotedWord(cursor: Cursor, quote: string): void {
  while (!cursor.isGap()) {
    const char = cursor.peek();
    if (char === quote && !(quote === "'" && cursor.peek(1) === quote)) return;
    if (char === "'" && quote === "'") cursor.skip(2);
    else if (char === '\\' && quote === '"') {
      if (cursor.isBreak(1)) {
        cursor.skip();
        cursor.skipBreak();
        return;
      }
      scanEscape(cursor);
    } else cursor.skip();
  }
}

const escapes = new Set('0abt\tnvfre "\'\\N_LP');
const hexLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const hexadecimal = /^[0-9A-Fa-f]$/;

function scanEscape(cursor: Cursor): void {
  const kind = cursor.peek(1);
  const length = hexLengths[kind] ?? 0;
  if (length === 0 && !escapes.has(kind)) throw cursor.fault('found unknown escape character');
  cursor.skip(2);
  let code = '';
  for (let digit = 0; digit < length; digit++) {
    if (!hexadecimal.test(cursor.peek(digit))) throw cursor.fault('did not find expected hexdecimal number');
    code += cursor.peek(digit);
  }
  const value = Number.parseInt(code || '0', 16);
  if ((value >= 0xd800 && value <= 0xdfff) || value > 0x10ffff)
    throw cursor.fault('found invalid Unicode character escape code');
  cursor.skip(length);
}

const digits = /^[0-9]$/;

/** A scalar that goes on as long as its lines are indented. `outer` is the column of the block it stands in. */
export function scanBlock(cursor: Cursor, outer: number): void {
  cursor.skip();
  const wanted = scanBlockHead(cursor);
  let indent = wanted === undefined ? 0 : Math.max(outer, 0) + wanted;
  indent = skipIndentation(cursor, indent, outer);
  while (cursor.column === indent && !cursor.isEnd()) {
    cursor.skipToBreak();
    if (cursor.isBreak()) cursor.skipBreak();
    skipIndentation(cursor, indent, outer);
  }
}

/** The indentation that the first line asks for, if it does. */
function scanBlockHead(cursor: Cursor): number | undefined {
  const wantsEnd = scanBlockEnd(cursor);
  let wanted: number | undefined;
  if (digits.test(cursor.peek())) {
    wanted = Number(cursor.peek());
    if (wanted === 0) throw cursor.fault('found an indentation indicator equal to 0');
    cursor.skip();
    if (!wantsEnd) scanBlockEnd(cursor);
  }
  skipComment(cursor);
  if (cursor.isBreak()) cursor.skipBreak();
  return wanted;
}

/** Whether the first line says what becomes of the last line breaks. */
function scanBlockEnd(cursor: Cursor): boolean {
  const isThere = cursor.peek() === '-' || cursor.peek() === '+';
  if (isThere) cursor.skip();
  return isThere;
}

/** Empty lines, and the indentation of the next one; found out where it is not known yet. */
function skipIndentation(cursor: Cursor, known: number, outer: number): number {
  let most = 0;
  const isBefore = () => known === 0 || cursor.column < known;
  for (;;) {
    while (isBefore() && cursor.peek() === ' ') cursor.skip();
    most = Math.max(most, cursor.column);
    if (isBefore() && cursor.peek() === '\t')
      throw cursor.fault('found a tab character where an indentation space is expected');
    if (!cursor.isBreak()) break;
    cursor.skipBreak();
  }
  return known === 0 ? Math.max(most, outer + 1, 1) : known;
}

function skipComment(cursor: Cursor): void {
  cursor.skipBlanks();
  if (cursor.peek() === '#') cursor.skipToBreak();
  if (!cursor.isBreakOrEnd()) throw cursor.fault('did not find expected comment or line break');
}

const afterName = new Set(['?', ':', ',', ']', '}', '%', '@', '`']);

/** The name of an anchor or alias. */
export function scanName(cursor: Cursor): string {
  cursor.skip();
  const name = cursor.word();
  if (name === '' || !(cursor.isGap() || afterName.has(cursor.peek())))
    throw cursor.fault('did not find expected alphabetic or numeric character');
  return name;
}

const uriChar = /^[0-9A-Za-z_\-;/?:@&=+$.!~*'()%,[\]]$/;

/** A tag; what stands between two exclamation marks, if it does, has to be declared. */
export function scanTag(cursor: Cursor): string {
  cursor.skip();
  let handle = '';
  if (cursor.peek() === '<') {
    cursor.skip();
    scanUri(cursor, 1);
    if (cursor.peek() !== '>') throw cursor.fault("did not find the expected '>'");
    cursor.skip();
  } else {
    const name = cursor.word();
    if (cursor.peek() === '!') {
      handle = name;
      cursor.skip();
      scanUri(cursor, 1);
    } else scanUri(cursor, 0);
  }
  if (!cursor.isGap()) throw cursor.fault('did not find expected whitespace or line break');
  return handle;
}

function scanUri(cursor: Cursor, least: number): void {
  let count = 0;
  for (; uriChar.test(cursor.peek()); count++) {
    if (cursor.peek() === '%' && !(hexadecimal.test(cursor.peek(1)) && hexadecimal.test(cursor.peek(2))))
      throw cursor.fault('did not find URI escaped octet');
    cursor.skip();
  }
  if (count < least) throw cursor.fault('did not find expected tag URI');
}

/** What a directive declares. */
export type Directive =
  | { readonly is: 'version'; readonly version: string }
  | { readonly is: 'tag'; readonly handle: string };

export function scanDirective(cursor: Cursor): Directive {
  cursor.skip();
  const name = cursor.word();
  if (name === '') throw cursor.fault('could not find expected directive name');
  if (!cursor.isGap()) throw cursor.fault('found unexpected non-alphabetical character');
  const directive = scanDirectiveValue(cursor, name);
  skipComment(cursor);
  if (cursor.isBreak()) cursor.skipBreak();
  return directive;
}

function scanDirectiveValue(cursor: Cursor, name: string): Directive {
  if (name === 'YAML') {
    cursor.skipBlanks();
    const major = scanNumber(cursor);
    if (cursor.peek() !== '.') throw cursor.fault("did not find expected digit or '.' character");
    cursor.skip();
    return { is: 'version', version: `${major}.${scanNumber(cursor)}` };
  }
  if (name !== 'TAG') throw cursor.fault('found unknown directive name');
  return { is: 'tag', handle: scanTagDirective(cursor) };
}

function scanNumber(cursor: Cursor): number {
  let text = '';
  for (; digits.test(cursor.peek()); cursor.skip()) {
    text += cursor.peek();
    if (text.length > 2) throw cursor.fault('found extremely long version number');
  }
  if (text === '') throw cursor.fault('did not find expected version number');
  return Number(text);
}

function scanTagDirective(cursor: Cursor): string {
  cursor.skipBlanks();
  if (cursor.peek() !== '!') throw cursor.fault("did not find expected '!'");
  cursor.skip();
  const handle = cursor.word();
  if (cursor.peek() === '!') cursor.skip();
  else if (handle !== '') throw cursor.fault("did not find expected '!'");
  if (!cursor.isBlank()) throw cursor.fault('did not find expected whitespace');
  cursor.skipBlanks();
  scanUri(cursor, 1);
  if (!cursor.isGap()) throw cursor.fault('did not find expected whitespace or line break');
  return handle;
}
