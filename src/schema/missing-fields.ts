// Whether a value lacks fields that its type requires.

import { isJsonObject } from '../base/json/json.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { SchemaType } from './types.ts';

/**
 * The first required field that is missing; undefined where none is. `given` is what a client sent, `completed` the same with
 * defaults: what those fill in is not missing. Nor is a list or a map that is null, as the server itself writes empty ones, or
 * that a client could not send, where its format `leavesOutEmpty` ones. Schemas of users say by their own rules what is.
 */
export function missingField(
  type: SchemaType | StructuralType,
  given: unknown,
  completed: unknown,
  leavesOutEmpty = false,
  at = '',
): string | undefined {
  switch (type.is) {
    case 'struct':
      return isJsonObject(given) && isJsonObject(completed)
        ? missingIn(type.fields, given, completed, leavesOutEmpty, at)
        : undefined;
    case 'list':
      return Array.isArray(given) && Array.isArray(completed)
        ? firstOf(given, (item, i) => missingField(type.of, item, completed[i], leavesOutEmpty, `${at}[${i}]`))
        : undefined;
    case 'map':
      return isJsonObject(given) && isJsonObject(completed)
        ? firstOf(Object.keys(given), (key) =>
            missingField(type.of, given[key], completed[key], leavesOutEmpty, `${at}[${key}]`),
          )
        : undefined;
    default:
      return undefined;
  }
}

function firstOf<T>(all: readonly T[], find: (one: T, index: number) => string | undefined): string | undefined {
  for (const [index, one] of all.entries()) {
    const found = find(one, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Fields = Extract<SchemaType, { is: 'struct' }>['fields'];
type Values = Readonly<Record<string, unknown>>;

const missingIn = (
  fields: Fields,
  given: Values,
  completed: Values,
  leavesOutEmpty: boolean,
  at: string,
): string | undefined =>
  firstOf(fields, ({ name, type, required }) => {
    const field = at === '' ? name : `${at}.${name}`;
    const value = given[name];
    if ((value ?? null) !== null) return missingField(type, value, completed[name], leavesOutEmpty, field);
    if ((leavesOutEmpty || value === null) && (type.is === 'list' || type.is === 'map')) return undefined;
    // defaults of the fields inside do not stand for the whole
    return required === true && (type.is === 'struct' || isZero(completed[name], type)) ? field : undefined;
  });

/** Fields that are always written have these values where they were not given. */
const isZero = (value: unknown, type: SchemaType): boolean =>
  (value ?? '') === '' || value === 0 || value === false || isEmpty(value) || (value === '0' && isQuantity(type));

const isQuantity = (type: SchemaType): boolean => type.is === 'scalar' && type.name === 'quantity';

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value as object).length === 0;
