// What a schema says about a value without members: its type, its size, its form.

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonValue } from '../../base/json.ts';
import { type UserPattern, userPattern } from '../../base/user-pattern.ts';
import { hasFormat, isKnownFormat } from './formats.ts';
import type { Report } from './report.ts';
import { isIntOrString, type Schema } from './schema.ts';

/** The type of a value, as schemas call it. */
function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  // compat: what 64 bits cannot hold is a number with a fraction
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 'integer' : 'number';
  return typeof value;
}

/** Formats by which messages speak of numbers. */
const numberFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

function wantedTypes(schema: Schema, { anyType }: Report): readonly string[] {
  if (isIntOrString(schema)) return anyType ? [] : ['integer', 'string'];
  return schema.type ? [schema.type] : [];
}

export function checkType(value: JsonValue, schema: Schema, name: string, report: Report): void {
  const wanted = wantedTypes(schema, report);
  const found = typeOf(value);
  const fits = wanted.includes(found) || (found === 'integer' && wanted.includes('number'));
  if (wanted.length === 0) return;
  report.matches++;
  if (fits || (value === null && schema.nullable)) {
    report.matches++;
    return;
  }
  // compat: a value that is no text is told the format it should have, where there is one
  const { format = '' } = schema;
  const scalar = ['integer', 'number', 'boolean', 'object'].includes(found);
  if (scalar && format !== '' && isKnownFormat(schema.type ?? '', format))
    report.wrongType(name, format, numberFormats[found] ?? '');
  else report.wrongType(name, wanted.join(','), found);
}

export function checkEnum(value: JsonValue, { enum: choices }: Schema, name: string, report: Report): void {
  report.matches++;
  if (choices === undefined || choices.length === 0) return;
  if (!choices.some((one) => isDeepStrictEqual(one, value))) report.unsupported(name, value, choices);
}

export function checkNumber(value: number | bigint, schema: Schema, name: string, report: Report): void {
  const [minimum, maximum, multipleOf] = limitsFor(value, schema);
  report.matches++;
  checkRange(value, schema, name, report);
  if (multipleOf !== undefined && multipleOf <= 0) report.noFactor(name, multipleOf);
  else if (multipleOf !== undefined && !isMultiple(value, multipleOf))
    report.invalid(name, value, `should be a multiple of ${multipleOf}`);
  if (minimum !== undefined && (schema.exclusiveMinimum ? value <= minimum : value < minimum))
    report.invalid(name, value, `should be greater than ${schema.exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
  if (maximum !== undefined && (schema.exclusiveMaximum ? value >= maximum : value > maximum))
    report.invalid(name, value, `should be less than ${schema.exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
}

type Limits = readonly [minimum: number | undefined, maximum: number | undefined, multipleOf: number | undefined];

/** compat: a whole number is held to limits without their fractions */
function limitsFor(value: number | bigint, { minimum, maximum, multipleOf }: Schema): Limits {
  const limits: Limits = [minimum, maximum, multipleOf];
  const isWhole = typeOf(value) === 'integer';
  return isWhole ? (limits.map((one) => (one === undefined ? one : Math.trunc(one))) as unknown as Limits) : limits;
}

const ranges: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

/** compat: a number that its type or format cannot hold is told twice, the second time at the whole value */
function checkRange(value: number | bigint, schema: Schema, name: string, report: Report): void {
  const { type, format = '' } = schema;
  if (type === 'number' && format === 'float' && !Number.isFinite(Math.fround(Number(value))))
    report.whole(`Checked value must be of type number with format float in ${name}`);
  if (type !== 'integer') return;
  const known = Object.hasOwn(ranges, format) ? format : '';
  const limit = ranges[known || 'int64'] as number;
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  if (isWhole && value >= -limit && value < limit) return;
  const shown = known === '' ? '(default format)' : `with format ${known}`;
  report.whole(`Checked value must be of type integer ${shown} in ${name}`);
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return Number.isInteger(factor) && value % BigInt(factor) === 0n;
  // As the inverse of a small factor: a tenth has no exact form, ten has one.
  const times = factor < 1 ? (1 / factor) * value : value / factor;
  return Math.abs(times - Math.round(times)) <= Number.EPSILON * Math.max(1, Math.abs(times));
}

/** Expressions take up to microseconds a character: texts beyond this are matched in another thread. */
const longText = 20_000;

export function isLongMatch(value: string, { pattern = '', maxLength }: Schema): boolean {
  return pattern !== '' && value.length > longText && (maxLength === undefined || !isLonger(value, maxLength));
}

/** `matches`: whether the text fits the pattern, where that is known. */
export function checkText(value: string, schema: Schema, name: string, report: Report, matches?: boolean): void {
  const { minLength, maxLength, pattern = '', format = '' } = schema;
  report.matches++;
  // only the first of these is told
  if (maxLength !== undefined && isLonger(value, maxLength)) report.tooLong(name, maxLength);
  else if (minLength !== undefined && !isLonger(value, minLength - 1))
    report.invalid(name, value, `should be at least ${minLength} chars long`);
  else if (pattern !== '' && !(matches ?? patternOf(schema, pattern).matches(value)))
    report.invalid(name, value, `should match '${pattern}'`);
  if (format !== '' && hasFormat(value, format) === false) report.wrongType(name, format, value);
}

/** Lengths are in code points; most texts need no counting. */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  return [...text].length > limit;
}

const anything: UserPattern = { matches: () => true };

/** Compiled once for each schema, and gone with it. */
const patterns = new WeakMap<Schema, UserPattern>();

function patternOf(schema: Schema, text: string): UserPattern {
  let pattern = patterns.get(schema);
  if (pattern === undefined) {
    pattern = compiled(text);
    patterns.set(schema, pattern);
  }
  return pattern;
}

/** What is no regular expression is refused where the schema is looked at, and restricts nothing. */
function compiled(text: string): UserPattern {
  try {
    return userPattern(text);
  } catch {
    return anything;
  }
}
