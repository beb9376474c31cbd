// Whether a value lacks fields that its type requires.

import { isJsonObject } from '../base/json.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { SchemaType } from './types.ts';

/**
 * `given` is what a client sent, `completed` the same with defaults: what those fill in is not missing. Schemas of users say
 * by their own rules what is.
 */
export function lacksRequired(type: SchemaType | StructuralType, given: unknown, completed: unknown): boolean {
  switch (type.is) {
    case 'struct':
      return isJsonObject(given) && isJsonObject(completed) && lacksField(type.fields, given, completed);
    case 'list':
      return (
        Array.isArray(given) &&
        Array.isArray(completed) &&
        given.some((item, at) => lacksRequired(type.of, item, completed[at]))
      );
    case 'map':
      return (
        isJsonObject(given) &&
        isJsonObject(completed) &&
        Object.keys(given).some((key) => lacksRequired(type.of, given[key], completed[key]))
      );
    default:
      return false;
  }
}

type Fields = Extract<SchemaType, { is: 'struct' }>['fields'];
type Values = Readonly<Record<string, unknown>>;

const lacksField = (fields: Fields, given: Values, completed: Values): boolean =>
  fields.some(({ name, type, required }) => {
    if (Object.hasOwn(given, name)) return lacksRequired(type, given[name], completed[name]);
    return required === true && isZero(completed[name]);
  });

/** Fields that are always written have these values where they were not given. */
const isZero = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === 0 || value === false || isEmpty(value);

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value as object).length === 0;
