// One step of a path to a field, as FieldsV1 spells it: `f:name` a field or map key, `k:{…}` the item of a list with
// these keys, `v:…` a value in a set, `i:3` a position.

import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../../base/json/json.ts';
import { JsonSyntaxError, parseJsonText, scanJson } from '../../base/json/json-scan.ts';

/** Text that is no path element. */
export class MalformedElementError extends Error {}

export const fieldElement = (name: string): string => `f:${name}`;

export const valueElement = (value: JsonValue): string => `v:${stringifyJson(value)}`;

/** `keys` are the key fields of a list in alphabetical order. */
function keyElement(item: Readonly<Record<string, unknown>>, keys: readonly string[]): string {
  let text = '';
  for (const key of keys) {
    const value = item[key];
    if (value !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${stringifyJson(value)}`;
  }
  return `k:{${text}}`;
}

/** The same element spelled our way; throws for what is none. */
export function normalizeElement(text: string): string {
  const content = text.slice(2);
  switch (text.slice(0, 2)) {
    case 'f:':
      return text;
    case 'v:':
      return valueElement(parseContent(content));
    case 'k:': {
      const keys = parseContent(content);
      if (!isJsonObject(keys)) throw new MalformedElementError(`${text} names no keys`);
      return keyElement(keys, Object.keys(keys).sort());
    }
    case 'i:':
      if (/^\d{1,9}$/.test(content)) return text;
  }
  throw new MalformedElementError(`${text} is no path element`);
}

function parseContent(text: string): JsonValue {
  try {
    return scanJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new MalformedElementError(error.message);
    throw error;
  }
}

/** How messages show an element: `.name`, `[name="a"]`, `[="a"]`, `[3]`. */
export function showElement(element: string): string {
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'v':
      return `[=${content}]`;
    case 'k':
      return `[${showKeys(parseJsonText(content) as JsonObject)}]`;
    default:
      return `[${content}]`;
  }
}

function showKeys(keys: JsonObject): string {
  return Object.keys(keys)
    .map((key) => `${key}=${showValue(keys[key] as JsonValue)}`)
    .join(',');
}

/** Keys are scalars; an object that was given for one is shown by what is in it. */
function showValue(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(showValue).join(',')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  return Object.keys(value)
    .map((key) => `${key}=${showValue(value[key] as JsonValue)}`)
    .join('');
}

const kinds = 'fkvi';

/** Fields, then items by key, by value and by place; numbers as numbers. */
export function inShownOrder(elements: readonly string[]): readonly string[] {
  // each is read once, not for every comparison
  const read = elements.map(
    (element): ReadElement => ({ element, kind: kinds.indexOf(element[0] as string), content: contentOf(element) }),
  );
  return read.sort((a, b) => a.kind - b.kind || compareValues(a.content, b.content)).map(({ element }) => element);
}

interface ReadElement {
  readonly element: string;
  readonly kind: number;
  readonly content: JsonValue;
}

const contentOf = (element: string): JsonValue => (element[0] === 'f' ? element : parseJsonText(element.slice(2)));

function compareValues(a: JsonValue | undefined, b: JsonValue | undefined): number {
  if (isJsonObject(a) && isJsonObject(b)) {
    const other = b;
    const differing = Object.keys(a).find((key) => compareValues(a[key], other[key]) !== 0);
    return differing === undefined ? 0 : compareValues(a[differing], other[differing]);
  }
  if (a === b) return 0;
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
