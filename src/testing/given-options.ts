// Arguments of the test kit as programs without types give them: names that are unknown, and values of another type, are
// reported in the same words in JavaScript and over HTTP.

import { suggestion } from '../base/text/nearest-name.ts';
import { OptionError } from '../config/option-error.ts';

export interface ArgumentType {
  /** After "must be". */
  readonly is: string;
  check(value: unknown): boolean;
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number' && value >= 0;

export const text: ArgumentType = { is: 'a text', check: isText };
export const texts: ArgumentType = {
  is: 'a text or a list of texts',
  check: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
};
export const textList: ArgumentType = {
  is: 'a list of texts',
  check: (value) => Array.isArray(value) && value.every(isText),
};
export const pattern: ArgumentType = {
  is: 'a text or a regular expression',
  check: (value) => isText(value) || Object.prototype.toString.call(value) === '[object RegExp]',
};
export const condition: ArgumentType = { is: 'a function', check: (value) => typeof value === 'function' };
export const flag: ArgumentType = { is: 'true or false', check: (value) => typeof value === 'boolean' };
export const number: ArgumentType = { is: 'a number that is not negative', check: isNumber };
export const position: ArgumentType = {
  is: 'a whole number from 1',
  check: (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 1),
};
export const statusCode: ArgumentType = {
  is: 'a status from 400 to 599',
  check: (value) => Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599,
};

export function oneOf(...values: readonly string[]): ArgumentType {
  return { is: `one of ${values.join(', ')}`, check: (value) => isText(value) && values.includes(value as string) };
}

export type ArgumentTypes = Readonly<Record<string, ArgumentType>>;

/** The error of the object `name`; undefined if it is valid. */
export function problemWith(name: string, given: unknown, types: ArgumentTypes): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return `${name} must be an object`;
  for (const [key, value] of Object.entries(given)) {
    const type = Object.hasOwn(types, key) ? types[key] : undefined;
    const names = Object.keys(types);
    if (type === undefined)
      return `${name} has no ${JSON.stringify(key)}${suggestion(key, names) || `; use ${names.join(', ')}`}`;
    if (value !== undefined && !type.check(value)) return `${name}.${key} must be ${type.is}`;
  }
  return undefined;
}

/** Throws an OptionError for what `problemWith` finds. */
export function checkGiven(name: string, given: unknown, types: ArgumentTypes): void {
  const problem = problemWith(name, given, types);
  if (problem !== undefined) throw new OptionError(problem);
}
