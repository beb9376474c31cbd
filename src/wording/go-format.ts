// Values as Go prints them: messages of the reference implementation show some that way.

import { isJsonObject, type JsonObject } from '../base/json/json.ts';

/** No more of a value is shown: objects may be as long as a body, and messages repeat them. */
const maxShown = 65_536;

/** As `%v` does. */
export const goPlain = (value: unknown): string => beginning(value, plainForm);

/** As `%s` does: what is no text is told apart from one. */
export const goText = (value: unknown): string => beginning(value, textForm);

/** As `%#v` does; `keys` is the type of keys of maps. */
export const goSyntax = (value: unknown, keys = 'string'): string => beginning(value, syntaxForm(keys));

/** How values are written: what stands around the members of lists and maps, and between them. */
interface Form {
  readonly list: string;
  readonly map: string;
  readonly separator: string;
  readonly ends: readonly [list: string, map: string];
  key(key: string): string;
  scalar(value: unknown): string;
}

const bare = { list: '[', map: 'map[', separator: ' ', ends: [']', ']'], key: (key: string) => key } as const;

const plainForm: Form = { ...bare, scalar: (value) => (value === null ? '<nil>' : String(value)) };

const textForm: Form = {
  ...bare,
  scalar(value) {
    if (typeof value === 'string') return value;
    return value === null ? '%!s(<nil>)' : `%!s(${goTypeName(value)}=${String(value)})`;
  },
};

const syntaxForm = (keys: string): Form => ({
  ...{ list: '[]interface {}{', map: `map[${keys}]interface {}{`, separator: ', ', ends: ['}', '}'] },
  key: (key) => JSON.stringify(key),
  scalar(value) {
    if (value === null) return 'interface {}(nil)';
    return typeof value === 'string' ? JSON.stringify(value) : String(value);
  },
});

function beginning(value: unknown, form: Form): string {
  const text = written(value, form, maxShown);
  return typeof value === 'object' && text.length > maxShown ? `${text.slice(0, maxShown)}...` : text;
}

/** Ends soon after `most` characters. */
function written(value: unknown, form: Form, most: number): string {
  if (value === null || value === undefined) return form.scalar(null);
  if (Array.isArray(value)) return writtenMembers(value, form, most);
  if (!isJsonObject(value)) return form.scalar(value);
  return writtenMembers(sortedKeys(value), form, most, value);
}

/** The items of a list, or the members of a map by their keys. */
function writtenMembers(members: readonly unknown[], form: Form, most: number, map?: JsonObject): string {
  let text = map === undefined ? form.list : form.map;
  for (let index = 0; index < members.length && text.length <= most; index++) {
    if (index > 0) text += form.separator;
    const member = members[index];
    if (map !== undefined) text += `${form.key(member as string)}:`;
    text += written(map === undefined ? member : map[member as string], form, most - text.length);
  }
  return text + form.ends[map === undefined ? 0 : 1];
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
