// How validation findings are worded, one factory per reason.

import { isDeepStrictEqual } from 'node:util';
import { stringifyJson } from '../base/json.ts';
import type { FieldError } from './status.ts';

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: `Required value${detail === '' ? '' : `: ${detail}`}` };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${show(value)}: ${detail}` };
}

/** A value of another type than its field has. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { ...invalidValue(field, value, detail), reason: 'FieldValueTypeInvalid' };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((s) => JSON.stringify(s)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${show(value)}: supported values: ${list}`,
  };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

export function tooLong(field: string, limit: number): FieldError {
  return { reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${limit} bytes` };
}

/** Where the value is secret, huge or a whole object: it is not repeated. */
export function invalidAt(field: string, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${detail}` };
}

/** Something that cannot be judged. */
export function internalAt(field: string, detail: string): FieldError {
  return { reason: 'InternalError', field, message: `Internal error: ${detail}` };
}

export function duplicate(field: string, value: unknown, detail = ''): FieldError {
  const more = detail === '' ? '' : `: ${detail}`;
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${show(value)}${more}` };
}

export function tooMany(field: string, count: number, limit: number): FieldError {
  const items = limit === 1 ? 'item' : 'items';
  return { reason: 'FieldValueTooMany', field, message: `Too many: ${count}: must have at most ${limit} ${items}` };
}

/** A reference to something that is not there. */
export function notFoundValue(field: string, value: unknown, detail = ''): FieldError {
  const more = detail === '' ? '' : `: ${detail}`;
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${show(value)}${more}` };
}

const immutable = 'field is immutable';

/** A finding where a field changed that may not; compared as JSON has them, so that order of keys is no change. */
export function unchanged(field: string, next: unknown, old: unknown): readonly FieldError[] {
  return isDeepStrictEqual(next, old) ? [] : [invalidValue(field, next, immutable)];
}

function show(value: unknown): string {
  const text = stringifyJson(value) ?? 'null';
  // compat: lists and objects in findings are written with < > & escaped, plain texts are not
  return typeof value === 'object' ? text.replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`) : text;
}
