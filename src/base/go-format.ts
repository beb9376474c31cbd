// Values as Go prints them: messages of the reference implementation show some that way.

import { isJsonObject, type JsonObject } from './json.ts';

/** As `%v` does. */
export function goPlain(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  return `map[${sortedKeys(value)
    .map((key) => `${key}:${goPlain(value[key])}`)
    .join(' ')}]`;
}

/** As `%s` does: what is no text is told apart from one. */
export function goText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return `%!s(${goTypeName(value)}=${String(value)})`;
  return `map[${sortedKeys(value)
    .map((key) => `${key}:${goText(value[key])}`)
    .join(' ')}]`;
}

/** As `%#v` does; `keys` is the type of keys of maps. */
export function goSyntax(value: unknown, keys = 'string'): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map((item) => goSyntax(item, keys)).join(', ')}}`;
  if (!isJsonObject(value)) return String(value);
  const members = sortedKeys(value).map((key) => `${JSON.stringify(key)}:${goSyntax(value[key], keys)}`);
  return `map[${keys}]interface {}{${members.join(', ')}}`;
}

/** A floating number as `%v` prints it: from a million on with an exponent, of two digits at least. */
function goFloat(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (!Number.isFinite(value) || (power >= -4 && power < 6)) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** A number that messages show as a floating one, whole or not. */
export class FloatingNumber {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toString(): string {
    return goFloat(this.value);
  }
}

/** As `%T` does. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'int64' : 'string';
}

const sortedKeys = (value: JsonObject): string[] => Object.keys(value).sort();

const escapes: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** As `%q` does: what cannot be printed is written by its code. */
export function goQuoted(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  const escaped = text.replace(/["\\]|[\p{C}\p{Z}]/gu, (point) => {
    if (point === ' ') return point;
    if (point === '"' || point === '\\') return `\\${point}`;
    return escapes.get(point) ?? coded(point.codePointAt(0) as number);
  });
  return `"${escaped}"`;
}

/** What nearly all texts are made of; the tables behind the other pattern take milliseconds to make. */
const plain = /^[ !#-[\]-~]*$/;

function coded(point: number): string {
  const hex = (length: number) => point.toString(16).padStart(length, '0');
  // compat: half of a pair stands for no character
  if (point >= 0xd800 && point <= 0xdfff) return '\\ufffd';
  if (point < 0x80) return `\\x${hex(2)}`;
  return point < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
