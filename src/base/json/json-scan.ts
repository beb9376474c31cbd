// A JSON reader for what JSON.parse cannot tell: where a document breaks, which keys repeat, and integers that a
// double would round. Slower than JSON.parse, so it is asked only when there is reason to.

import { type JsonObject, type JsonValue, setOwn } from './json.ts';

const endOfInput = 'unexpected end of JSON input';

export class JsonSyntaxError extends Error {
  /** Where in the text, counted in UTF-16 units. */
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** A key, or a position in a list. */
export type PathPart = string | number;

/** Called in the order of the document. Paths are those of the scan: who keeps one copies it. */
export interface JsonVisitor {
  readonly key?: (key: string, path: readonly PathPart[], repeats: boolean) => void;
  readonly number?: (literal: string, path: readonly PathPart[]) => void;
  /** A member of this object is about to be replaced by a later one of the same key. */
  readonly replaced?: (object: JsonObject, key: string) => void;
}

/** `spec.containers[0].name` */
export function showPath(parts: readonly PathPart[]): string {
  let path = '';
  for (const part of parts) {
    if (typeof part === 'number') path += `[${part}]`;
    else path += path === '' ? part : `.${part}`;
  }
  return path;
}

/** Deeper documents would exhaust the stack of a function that walks them. */
export const maxJsonDepth = 1000;

/** The last of several equal keys counts, as with JSON.parse. Integers beyond 2^53 become bigints. */
export function scanJson(text: string, visitor: JsonVisitor = {}): JsonValue {
  const scan = new Scan(text, visitor);
  const value = scan.value(0);
  scan.end();
  return value;
}

const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings may not hold them
const needsCare = /[\u0000-\u001f\\]/;
/** Amounts and free-form values may be longer than any integer type; what is even longer than this is a double. */
const maxIntegerDigits = 300;

class Scan {
  readonly #text: string;
  readonly #visitor: JsonVisitor;
  readonly #path: PathPart[] = [];
  #at = 0;

  constructor(text: string, visitor: JsonVisitor) {
    this.#text = text;
    this.#visitor = visitor;
  }

  value(depth: number): JsonValue {
    this.#skipSpace();
    if (depth > maxJsonDepth) throw new JsonSyntaxError('exceeded max depth', this.#at);
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#list(depth);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value');
  }

  #object(depth: number): JsonObject {
    const object: JsonObject = {};
    this.#at++;
    if (this.#closes('}')) return object;
    do {
      const key = this.#key();
      const repeats = Object.hasOwn(object, key);
      this.#visitor.key?.(key, this.#path, repeats);
      this.#set(object, key, this.value(depth + 1), repeats);
    } while (this.#continues('}', 'after object key:value pair'));
    return object;
  }

  /** A key and its colon. */
  #key(): string {
    this.#skipSpace();
    if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string');
    const key = this.#string();
    this.#skipSpace();
    if (this.#text[this.#at] !== ':') throw this.#unexpected('after object key');
    this.#at++;
    this.#path.push(key);
    return key;
  }

  #set(object: JsonObject, key: string, value: JsonValue, repeats: boolean): void {
    if (repeats) this.#visitor.replaced?.(object, key);
    setOwn(object, key, value);
    this.#path.pop();
  }

  #list(depth: number): JsonValue[] {
    const list: JsonValue[] = [];
    this.#at++;
    if (this.#closes(']')) return list;
    do {
      this.#path.push(list.length);
      list.push(this.value(depth + 1));
      this.#path.pop();
    } while (this.#continues(']', 'after array element'));
    return list;
  }

  #closes(bracket: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  /** Whether a comma follows; the closing bracket ends the list or object. */
  #continues(bracket: string, where: string): boolean {
    if (this.#closes(bracket)) return false;
    if (this.#text[this.#at] !== ',') throw this.#unexpected(where);
    this.#at++;
    return true;
  }

  #string(): string {
    const start = this.#at + 1;
    let end = this.#text.indexOf('"', start);
    while (end >= 0 && this.#isEscaped(start, end)) end = this.#text.indexOf('"', end + 1);
    if (end < 0) throw new JsonSyntaxError(endOfInput, this.#text.length);
    const inner = this.#text.slice(start, end);
    const text = needsCare.test(inner) ? this.#unescape(inner, start) : inner;
    this.#at = end + 1;
    return text;
  }

  #isEscaped(start: number, quote: number): boolean {
    let before = quote - 1;
    while (before >= start && this.#text.charCodeAt(before) === 0x5c) before--;
    return (quote - before) % 2 === 0;
  }

  #unescape(inner: string, start: number): string {
    try {
      // half of a character that lacks the other half could not be written again
      return (JSON.parse(`"${inner}"`) as string).toWellFormed();
    } catch {
      const { at, where } = firstBad(inner);
      throw new JsonSyntaxError(`invalid character ${quoted(inner.slice(at))} in string ${where}`, start + at);
    }
  }

  #word<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++, this.#at++) {
      const wanted = word[i] as string;
      if (this.#text[this.#at] !== wanted) throw this.#unexpected(`in literal ${word} (expecting '${wanted}')`);
    }
    return value;
  }

  #number(): number | bigint {
    number.lastIndex = this.#at;
    const match = number.exec(this.#text);
    if (match === null) throw this.#unexpected('looking for beginning of value');
    const [digits, fraction, exponent] = match;
    this.#at += digits.length;
    this.#visitor.number?.(digits, this.#path);
    const value = Number(digits);
    const isInteger = fraction === undefined && exponent === undefined;
    if (!isInteger || Number.isSafeInteger(value) || digits.length > maxIntegerDigits) return value;
    return BigInt(digits);
  }

  #skipSpace(): void {
    const text = this.#text;
    for (;;) {
      const code = text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #unexpected(where: string): JsonSyntaxError {
    if (this.#at >= this.#text.length) return new JsonSyntaxError(endOfInput, this.#at);
    return new JsonSyntaxError(
      `invalid character ${quoted(this.#text.slice(this.#at, this.#at + 2))} ${where}`,
      this.#at,
    );
  }
}

/** The first byte of a text, as a message shows it. */
function quoted(text: string): string {
  const shown = String.fromCharCode(Buffer.from(text.slice(0, 2))[0] ?? 0);
  if (shown === "'") return "'\\''";
  if (shown === '"') return `'"'`;
  return `'${JSON.stringify(shown).slice(1, -1).replace('\\u00', '\\x')}'`;
}

/** The first character of a string literal that may not stand there. */
function firstBad(inner: string): { readonly at: number; readonly where: string } {
  for (let i = 0; i < inner.length; i++) {
    if (inner.charCodeAt(i) < 0x20) return { at: i, where: 'literal' };
    if (inner[i] !== '\\') continue;
    const code = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{0,4})/.exec(inner.slice(i + 1, i + 6))?.[0] ?? '';
    if (code[0] === 'u' && code.length < 5)
      return { at: i + 1 + code.length, where: '\\u hexadecimal character escape' };
    if (code === '') return { at: i + 1, where: 'escape code' };
    i++;
  }
  return { at: inner.length, where: 'literal' };
}

/** Sixteen digits in a row may be an integer that a double would round. Spelled out, it is found by leaps: measured. */
const longDigits = /\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d\d/;

/** JSON to a value, by JSON.parse wherever that loses nothing. */
export function parseJsonText(text: string): JsonValue {
  return longDigits.test(text) ? scanJson(text) : (JSON.parse(text) as JsonValue);
}
