// How validation errors are worded, one factory per reason.

import { isSameJson } from '../base/json/json.ts';
import { jsonBeginning } from '../base/json/json-beginning.ts';
import { FloatingNumber, goQuoted } from '../wording/go-format.ts';
import type { FieldError } from './status.ts';

/** The error has no value. */
const noValue = Symbol('no value');

/** A text that should have been one of a few. compat: it is written as JSON has it, unlike other texts */
class ChosenText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Words, or the values that would do. */
type Detail = string | readonly string[];

const listed = (supported: readonly string[]) =>
  `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`;

/** A validation error gets its text when it is reported: an object may have more errors than are reported, each about all of a long list. */
class ValidationError implements FieldError {
  readonly reason: FieldError['reason'];
  readonly field: string;
  readonly about: string;
  readonly value: unknown;
  readonly detail: Detail;

  constructor(reason: FieldError['reason'], field: string, about: string, value: unknown, detail: Detail) {
    this.reason = reason;
    this.field = field;
    this.about = about;
    this.value = value;
    this.detail = detail;
  }

  get message(): string {
    const about = this.value === noValue ? this.about : `${this.about}: ${show(this.value)}`;
    const detail = typeof this.detail === 'string' ? this.detail : listed(this.detail);
    return detail === '' ? about : `${about}: ${detail}`;
  }
}

export function required(field: string, detail = ''): FieldError {
  return new ValidationError('FieldValueRequired', field, 'Required value', noValue, detail);
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return new ValidationError('FieldValueInvalid', field, 'Invalid value', value, detail);
}

/** A value of another type than its field has. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return new ValidationError('FieldValueTypeInvalid', field, 'Invalid value', value, detail);
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const shownValue = typeof value === 'string' ? new ChosenText(value) : value;
  return new ValidationError('FieldValueNotSupported', field, 'Unsupported value', shownValue, supported);
}

export function forbiddenField(field: string, detail: string): FieldError {
  return new ValidationError('FieldValueForbidden', field, `Forbidden: ${detail}`, noValue, '');
}

export function tooLong(field: string, limit: number): FieldError {
  const bytes = limit === 1 ? 'byte' : 'bytes';
  const detail = limit < 0 ? 'value is too long' : `may not be more than ${limit} ${bytes}`;
  return new ValidationError('FieldValueTooLong', field, 'Too long', noValue, detail);
}

/** Where the value is secret, huge or a whole object: it is not repeated. */
export function invalidAt(field: string, detail: string): FieldError {
  return new ValidationError('FieldValueInvalid', field, `Invalid value: ${detail}`, noValue, '');
}

/** Something that cannot be judged. */
export function internalAt(field: string, detail: string): FieldError {
  return new ValidationError('InternalError', field, `Internal error: ${detail}`, noValue, '');
}

export function duplicate(field: string, value: unknown, detail = ''): FieldError {
  return new ValidationError('FieldValueDuplicate', field, 'Duplicate value', value, detail);
}

export function tooMany(field: string, count: number, limit: number): FieldError {
  const items = limit === 1 ? 'item' : 'items';
  return new ValidationError(
    'FieldValueTooMany',
    field,
    `Too many: ${count}`,
    noValue,
    `must have at most ${limit} ${items}`,
  );
}

/** A reference to something that is not there. */
export function notFoundValue(field: string, value: unknown, detail = ''): FieldError {
  return new ValidationError('FieldValueNotFound', field, 'Not found', value, detail);
}

const immutable = 'field is immutable';

/** A validation error where a field changed that may not; compared as JSON has them, so that order of keys is no change. */
export function unchanged(field: string, next: unknown, old: unknown): readonly FieldError[] {
  return isSameJson(next, old) ? [] : [invalidValue(field, next, immutable)];
}

/** No more of a value is repeated: the whole of a list may be wrong in as many ways as it has items. */
const maxShown = 65_536;

function show(value: unknown): string {
  if (typeof value === 'string') return goQuoted(value.slice(0, maxShown));
  if (value instanceof FloatingNumber) return String(value);
  if (value instanceof ChosenText) return escaped(JSON.stringify(value.text.slice(0, maxShown)));
  const text = jsonBeginning(value, maxShown);
  // compat: lists and objects in validation errors are written with < > & escaped, plain texts are not
  return typeof value === 'object' ? escaped(text) : text;
}

const escaped = (json: string): string => json.replace(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
