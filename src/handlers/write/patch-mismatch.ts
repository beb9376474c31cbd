// What is said of a strategic merge patch that makes a field something of another type.

import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { invalidPatch } from '../../meta/write-errors.ts';

const mismatch = /^json: cannot unmarshal (\w+) into Go (?:value|struct field \S+) of type (\S+)$/;
const kinds: Readonly<Record<string, string>> = {
  string: 'string',
  array: 'slice',
  object: 'map',
  bool: 'bool',
  number: 'int64',
};

/** Undefined where the usual words are the right ones. `told` is what is wrong, in the words for bodies. */
export function strategicMismatch(patch: JsonValue, told: string): Error | undefined {
  const [, form = '', type = ''] = mismatch.exec(told) ?? [];
  const kind = kinds[form];
  const why = kind === undefined ? undefined : whyNot(kind, type);
  if (why === undefined) return undefined;
  // compat: a strategic merge patch of other types is shown as the reference implementation's language shows it
  const message = `Invalid value: ${JSON.stringify(goText(patch))}: ${why}`;
  const cause = { reason: 'FieldValueInvalid', message, field: 'patch' };
  return invalidPatch(` "" is invalid: patch: ${message}`, [cause]);
}

function whyNot(kind: string, type: string): string | undefined {
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (/^\w+\.[A-Z]\w*$/.test(type)) return `cannot restore struct from: ${kind}`;
  if (!/^(string|bool|int32|int64)$/.test(type)) return undefined;
  return type === 'string' && kind === 'int64' ? 'cannot convert int64 to string' : `unrecognized type: ${type}`;
}

/** A value as Go prints it. */
function goText(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${goText(value[key] as JsonValue)}`);
  return `map[${entries.join(' ')}]`;
}
