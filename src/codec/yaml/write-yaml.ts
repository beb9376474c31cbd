// Values as YAML text, letter by letter as other servers of the API write them: keys in their order, lists not indented,
// long texts broken at spaces, quotes around what version 1.1 of the language would take for something else.

import { compareKeys } from './key-order.ts';
import { allowedOf, isTextItself } from './plain-text.ts';

/** Texts are broken at the first space after so many characters of a line. */
const bestWidth = 80;
/** Longer keys stand on a line of their own. */
const longestKey = 128;

export function writeYaml(value: unknown): string {
  const writer = new Writer();
  writer.node(value, -2, 'document');
  return writer.text;
}

const maxParts = 1000;

type Place = 'document' | 'value' | 'item';

class Writer {
  /** Of a long text, what was written before. */
  readonly #joined: string[] = [];
  #parts: string[] = [];
  #column = 0;

  get text(): string {
    this.#join();
    return this.#joined.join('');
  }

  #join(): void {
    this.#joined.push(this.#parts.join(''));
    this.#parts = [];
  }

  #put(text: string): void {
    this.#parts.push(text);
    this.#column += lengthOf(text);
  }

  #newLine(indent = 0): void {
    this.#parts.push(`\n${' '.repeat(indent)}`);
    this.#column = indent;
  }

  /** `indent` is that of what the node belongs to. */
  node(value: unknown, indent: number, place: Place): void {
    // to join all parts of a long text in the end would take as long as to write it
    if (this.#parts.length > maxParts) this.#join();
    if (Array.isArray(value)) this.#list(value, indent, place);
    else if (typeof value === 'object' && value !== null) this.#map(value, indent, place);
    else {
      this.#scalar(value, indent, place);
      this.#newLine();
    }
  }

  #list(items: readonly unknown[], indent: number, place: Place): void {
    if (items.length === 0) this.#empty('[]', place);
    const own = place === 'item' ? indent + 2 : Math.max(indent, 0);
    for (const [index, item] of items.entries()) {
      this.#begin(own, place, index);
      this.#put('-');
      this.node(item, own, 'item');
    }
  }

  #map(value: object, indent: number, place: Place): void {
    const members = value as Readonly<Record<string, unknown>>;
    const keys = Object.keys(members).filter((key) => members[key] !== undefined);
    if (keys.length === 0) this.#empty('{}', place);
    const own = indent + 2;
    for (const [index, key] of keys.sort(compareKeys).entries()) {
      this.#begin(own, place, index);
      this.#key(key, own);
      this.node(members[key], own, 'value');
    }
  }

  /** The first entry of what stands in a list is on the line of its dash. */
  #begin(own: number, place: Place, index: number): void {
    if (place === 'value' && index === 0) this.#newLine();
    this.#put(place === 'item' && index === 0 ? ' ' : ' '.repeat(own));
  }

  #empty(text: string, place: Place): void {
    this.#put(place === 'document' ? text : ` ${text}`);
    this.#newLine();
  }

  #key(key: string, own: number): void {
    if (lengthOf(key) <= longestKey) {
      this.#put(`${inline(key)}:`);
      return;
    }
    this.#put('?');
    this.#scalar(key, own, 'value');
    this.#newLine(own);
    this.#put(':');
  }

  #scalar(value: unknown, indent: number, place: Place): void {
    if (place !== 'document') this.#put(' ');
    if (typeof value !== 'string') this.#put(shownNumber(value));
    else this.#string(value, Math.max(indent, 0) + (place === 'document' ? 0 : 2));
  }

  /** compat: double quotes are for texts that would be something else without them, other quotes are single */
  #string(text: string, below: number): void {
    const { plain, singleQuoted, literal } = allowedOf(text);
    const isText = isTextItself(text);
    if (text.includes('\n') && literal) this.#literal(text, below);
    else if (text.includes('\n') || !isText) this.#broken('"', withEscapes(text), below);
    else if (plain) this.#broken('', text, below);
    else if (singleQuoted) this.#broken("'", text.replaceAll("'", "''"), below);
    else this.#broken('"', withEscapes(text), below);
  }

  /** Text in quotes or without, on several lines where it is long. */
  #broken(quote: string, text: string, below: number): void {
    this.#put(quote);
    if (this.#column + text.length <= bestWidth) this.#put(text);
    else this.#onLines(quote, [...text], below);
    this.#put(quote);
  }

  #onLines(quote: string, letters: readonly string[], below: number): void {
    let afterSpace = false;
    for (const [at, letter] of letters.entries()) {
      const next = letters[at + 1];
      const isInside = quote === '' || (at > 0 && next !== undefined);
      const mayEnd = isInside && (quote === '"' || next !== ' ');
      if (letter === ' ' && !afterSpace && this.#column > bestWidth && mayEnd) {
        this.#newLine(below);
        if (next === ' ') this.#put('\\');
      } else this.#put(letter);
      afterSpace = letter === ' ';
    }
  }

  #literal(text: string, below: number): void {
    const hint = /^[ \n]/.test(text) ? '2' : '';
    const keep = text.endsWith('\n') ? (/(?:^|\n)\n$/.test(text) ? '+' : '') : '-';
    this.#put(`|${hint}${keep}`);
    const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
    for (const line of lines) this.#put(line === '' ? '\n' : `\n${' '.repeat(below)}${line}`);
  }
}

/** In characters, not in the units of the language. */
function lengthOf(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}

/** A text on one line, whatever it holds. */
function inline(text: string): string {
  const { plain, singleQuoted } = allowedOf(text);
  if (text.includes('\n') || !isTextItself(text)) return `"${withEscapes(text)}"`;
  if (plain) return text;
  const isQuoted = singleQuoted && !/[\r\u0085\u2028\u2029]/.test(text);
  return isQuoted ? `'${text.replaceAll("'", "''")}'` : `"${withEscapes(text)}"`;
}

function shownNumber(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'number' || Number.isInteger(value)) return String(value);
  const text = String(value);
  const [digits = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${exponent.replace(/^[-+]/, '').padStart(2, '0')}`;
}

const escapes: Readonly<Record<string, string>> = {
  '\0': '0',
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\u001b': 'e',
  '"': '"',
  '\\': '\\',
  '\u0085': 'N',
  '\u2028': 'L',
  '\u2029': 'P',
};

const needsEscape = /["\\]|[^\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;

const withEscapes = (text: string): string => text.replace(needsEscape, escaped);

function escaped(letter: string): string {
  const short = escapes[letter];
  if (short !== undefined) return `\\${short}`;
  const code = letter.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
