// Rules that the fields of many kinds share. Each says what is wrong with a value at a field.

import { isSameJson } from '../base/json/json.ts';
import { invalidValue, notSupported, required } from '../meta/field-errors.ts';
import { findEach } from '../meta/find-each.ts';
import type { FieldError } from '../meta/status.ts';
import { shownField } from '../schema/given-empty.ts';
import { meansSame } from '../schema/same-meaning.ts';
import type { StructType } from '../schema/types.ts';
import { inReferenceForm } from '../wording/types/reference-form.ts';

export type ValidationErrors = readonly FieldError[];

export function notNegative(at: string, value: number | null | undefined): ValidationErrors {
  return (value ?? 0) < 0 ? [invalidValue(at, value, 'must be greater than or equal to 0')] : [];
}

/** compat: what is said about all of an object, and about no field of it, has brackets for a path */
export const wholeObject = '[]';

/** The same for several fields of one struct. */
export function noneNegative(at: string, values: object, names: readonly string[]): ValidationErrors {
  const read = values as Readonly<Record<string, number | undefined>>;
  return findEach(names, (name) => ((read[name] ?? 0) < 0 ? notNegative(`${at}.${name}`, read[name]) : []));
}

export function immutable(at: string, next: unknown, old: unknown): ValidationErrors {
  return isSameJson(next ?? undefined, old ?? undefined) ? [] : [invalidValue(at, next, 'field is immutable')];
}

/** The same for a field of a struct, shown as it was given. */
export function immutableField(name: string, next: object, old: object): ValidationErrors {
  const read = (struct: object) => (struct as Readonly<Record<string, unknown>>)[name];
  return immutable(name, read(next), read(old)).map(() =>
    invalidValue(name, shownField(next, name), 'field is immutable'),
  );
}

/** The same for a struct, of the type of that name. */
export function immutableStruct(at: string, type: string, next: unknown, old: unknown): ValidationErrors {
  return immutable(at, next, old).map(() => invalidValue(at, inReferenceForm(type, next), 'field is immutable'));
}

/** The same for a struct that holds amounts: each may be written in another way. */
export function immutableByMeaning(at: string, type: StructType, next: unknown, old: unknown): ValidationErrors {
  return meansSame(type, next, old) ? [] : [invalidValue(at, inReferenceForm(type.name, next), 'field is immutable')];
}

/** One of the given values; an empty one is none of them. */
export function oneOf(at: string, value: string | undefined, supported: readonly string[]): ValidationErrors {
  return supported.includes(value ?? '') ? [] : [notSupported(at, value ?? '', supported)];
}

/** One of the given values, and there must be one. */
export function requiredOneOf(at: string, value: string | undefined, supported: readonly string[]): ValidationErrors {
  return value ? oneOf(at, value, supported) : [required(at)];
}

/** One of the given values, which may be no empty text where there is one. */
export function givenOneOf(at: string, value: string | undefined, supported: readonly string[]): ValidationErrors {
  return value === undefined ? [required(at)] : oneOf(at, value, supported);
}

/** What a counter may not do. */
export function notDecremented(at: string, next: number | undefined, old: number | undefined): ValidationErrors {
  return old !== undefined && (next === undefined || next < old)
    ? [invalidValue(at, next ?? 0, 'cannot be decremented')]
    : [];
}

/** A value that a name check has something to say about. */
export function checked(at: string, value: string, check: (value: string) => readonly string[]): ValidationErrors {
  return check(value).map((detail) => invalidValue(at, value, detail));
}

/** The same, where a value is required. */
export function requiredChecked(
  at: string,
  value: string | undefined,
  check: (value: string) => readonly string[],
): ValidationErrors {
  return value ? checked(at, value, check) : [required(at)];
}

/** Tells of a position in a list whether the same stands before it. Each item is looked at once, and none before it is asked for. */
export function repeatsIn(values: readonly unknown[]): (index: number) => boolean {
  const seen = new Set<unknown>();
  const again: boolean[] = [];
  return (index) => {
    while (again.length <= index) {
      const value = values[again.length];
      again.push(seen.has(value));
      seen.add(value);
    }
    return again[index] === true;
  };
}
