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

/** As `%#v` does. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value)) return String(value);
  const members = sortedKeys(value).map((key) => `${JSON.stringify(key)}:${goSyntax(value[key])}`);
  return `map[string]interface {}{${members.join(', ')}}`;
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
