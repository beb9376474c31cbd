// What a schema says about a value without members: its type, its size, its form.

import { isJsonObject, type JsonValue, stringifyJson } from '../../base/json/json.ts';
import { memoized } from '../../base/memoized.ts';
import { patternWeight, type UserPattern, userPattern } from '../../base/text/user-pattern.ts';
import { FloatingNumber } from '../../wording/go-format.ts';
import { hasFormat, isKnownFormat } from './formats.ts';
import type { Report } from './report.ts';
import { isIntOrString, type Schema } from './schema.ts';

/** The type of a value, as schemas call it. */
function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isJsonObject(value)) return 'object';
  // compat: what 64 bits cannot hold is a number with a fraction
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : 'number';
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 'integer' : 'number';
  return typeof value;
}

/** Formats by which messages speak of numbers. */
const numberFormats: Readonly<Record<string, string>> = { integer: 'int64', number: 'float64' };

function wantedTypes(schema: Schema, { anyType }: Report): readonly string[] {
  if (isIntOrString(schema)) return anyType ? [] : ['integer', 'string'];
  return schema.type ? [schema.type] : [];
}

/** compat: a format that a type cannot have counts for defaults, and not for objects */
function formatOf({ type = '', format = '' }: Schema, { anyType }: Report): string {
  return anyType || isKnownFormat(type, format) ? format : '';
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
  const format = value === null ? '' : formatOf(schema, report);
  if (format === '') report.wrongType(name, wanted.join(','), found);
  else misfits(found, format, wanted, name, report);
}

/** A value of another type than that which has a format. */
function misfits(found: string, format: string, wanted: readonly string[], name: string, report: Report): void {
  const isListOrText = found === 'array' || found === 'string';
  const own = numberFormats[found] ?? '';
  // compat: a value that is no text is told the format it should have, where there is one
  if (!isListOrText && own !== format) report.wrongType(name, format, own);
  // compat: a list may stand where a text of some format should
  else if (!isListOrText || wanted.includes('number') || wanted.includes('integer'))
    report.wrongType(name, wanted.join(','), found);
}

export function checkEnum(value: JsonValue, { enum: choices }: Schema, name: string, report: Report): void {
  report.matches++;
  if (choices === undefined || choices.length === 0) return;
  const known = choicesOf(choices);
  if (!known.has(value)) report.unsupported(name, shownNumber(value), known.texts);
}

/** The values of an enum, which may be tens of thousands: looked up, not gone through. */
class Choices {
  readonly #simple = new Set<unknown>();
  /** Whole numbers, for values that are compared without their fraction. */
  readonly #whole = new Set<number>();
  /** Lists and objects, by their JSON with sorted keys. */
  readonly #composite = new Set<string>();
  /** As messages name them. */
  readonly texts: readonly string[];

  constructor(choices: readonly unknown[]) {
    this.texts = choices.map((one) => (typeof one === 'string' ? one : stringifyJson(one)));
    for (const one of choices) {
      if (typeof one === 'object' && one !== null) this.#composite.add(canonicalJson(one as JsonValue));
      else this.#simple.add(one);
      if (isNumeric(one) && typeOf(one) === 'integer') this.#whole.add(Number(one));
    }
  }

  has(value: JsonValue): boolean {
    if (typeof value === 'object' && value !== null)
      return this.#composite.size > 0 && this.#composite.has(canonicalJson(value));
    return this.#simple.has(value) || (isNumeric(value) && this.#hasConverted(value));
  }

  /** compat: a number is one of several values if it is without its fraction, or as the number of a letter */
  #hasConverted(value: number | bigint): boolean {
    if (this.#whole.has(Math.trunc(Number(value)))) return true;
    const point = Number(value);
    return (
      typeOf(value) === 'integer' && point >= 0 && point <= 0x10ffff && this.#simple.has(String.fromCodePoint(point))
    );
  }
}

const choicesOf = memoized((choices: readonly unknown[]): Choices => new Choices(choices));

function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return stringifyJson(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] as JsonValue)}`);
  return `{${members.join(',')}}`;
}

const isNumeric = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** Whole numbers are shown with all their digits, others as floating ones. */
const shownNumber = (value: JsonValue): unknown =>
  isNumeric(value) && typeOf(value) === 'number' ? new FloatingNumber(Number(value)) : value;

export function checkNumber(value: number | bigint, schema: Schema, name: string, report: Report): void {
  const { multipleOf, minimum, maximum } = schema;
  report.matches++;
  const range = { type: schema.type ?? '', format: formatOf(schema, report), name };
  checkRange(value, 'Checked', range, report);
  if (multipleOf !== undefined) checkMultiple(pairOf(value, multipleOf, 'MultipleOf', range, report), name, report);
  if (minimum !== undefined) {
    const pair = pairOf(value, minimum, 'Minimum boundary', range, report);
    const { exclusiveMinimum: isOver } = schema;
    if (isOver ? pair.value <= pair.limit : pair.value < pair.limit)
      report.invalid(name, pair.shown, `should be greater than ${isOver ? '' : 'or equal to '}${pair.told}`);
  }
  if (maximum === undefined) return;
  const pair = pairOf(value, maximum, 'Maximum boundary', range, report);
  const { exclusiveMaximum: isUnder } = schema;
  if (isUnder ? pair.value >= pair.limit : pair.value > pair.limit)
    report.invalid(name, pair.shown, `should be less than ${isUnder ? '' : 'or equal to '}${pair.told}`);
}

function checkMultiple(pair: Pair, name: string, report: Report): void {
  if (pair.limit <= 0) report.noFactor(name, pair.limit);
  else if (!isMultiple(pair)) report.invalid(name, pair.shown, `should be a multiple of ${pair.told}`);
}

/** A number and what it is held to, and how messages show both. */
interface Pair {
  readonly value: number | bigint;
  readonly limit: number;
  readonly shown: unknown;
  readonly told: string;
  readonly isWhole: boolean;
}

interface Range {
  readonly type: string;
  readonly format: string;
  readonly name: string;
}

/** compat: whole numbers are held to limits without fractions; limits that their type cannot hold are told, too */
function pairOf(value: number | bigint, limit: number, what: string, range: Range, report: Report): Pair {
  const isSound = checkRange(limit, what, range, report);
  if (isSound && typeOf(value) === 'integer') {
    const whole = Math.trunc(limit);
    return { value, limit: whole, shown: value, told: String(whole), isWhole: true };
  }
  const floating = new FloatingNumber(Number(value));
  return { value: floating.value, limit, shown: floating, told: String(new FloatingNumber(limit)), isWhole: false };
}

const ranges: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 };

/** compat: a number that its type or format cannot hold is told twice, the second time at the whole value */
function checkRange(value: number | bigint, what: string, { type, format, name }: Range, report: Report): boolean {
  if (fitsRange(value, type, format)) return true;
  const shown = format === '' ? '(default format)' : `with format ${format}`;
  report.whole(`${what} value must be of type ${type} ${shown} in ${name}`);
  return false;
}

function fitsRange(value: number | bigint, type: string, format: string): boolean {
  if (type !== 'integer') return format !== 'float' || Number.isFinite(Math.fround(Number(value)));
  const limit = ranges[format] ?? 2 ** 63;
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  return isWhole && value >= -limit && value < limit;
}

/** As many whole numbers as floating ones can tell apart. */
const mostWhole = 2 ** 53 - 1;

function isMultiple({ value, limit, isWhole }: Pair): boolean {
  if (isWhole) return typeof value === 'bigint' ? value % BigInt(limit) === 0n : value % limit === 0;
  // As the inverse of a small factor: a tenth has no exact form, ten has one.
  const times = limit < 1 ? (1 / limit) * Number(value) : Number(value) / limit;
  const distance = Math.abs(times - Math.round(times));
  return Math.abs(times) <= mostWhole && distance <= Number.EPSILON * Math.max(1, Math.abs(times));
}

export function checkText(value: string, schema: Schema, name: string, report: Report): void {
  const { minLength, maxLength, pattern = '', format = '' } = schema;
  report.matches++;
  // only the first of these is told; whole numbers that floating ones cannot tell apart are no numbers here
  if (maxLength !== undefined && isLonger(value, maxLength)) report.tooLong(name, maxLength);
  else if (minLength !== undefined && !isLonger(value, Number(minLength) - 1))
    report.invalid(name, value, `should be at least ${minLength} chars long`);
  else if (pattern !== '' && !isMatch(value, schema, report)) report.invalid(name, value, `should match '${pattern}'`);
  const known = format === '' ? '' : formatOf(schema, report);
  if (known !== '' && hasFormat(value, known) === false) report.wrongType(name, known, value);
}

function isMatch(value: string, schema: Schema, report: Report): boolean {
  spendOnMatch(value, schema, report);
  return patternOf(schema).matches(value);
}

const weightOf = memoized(({ pattern = '' }: Schema): number => patternWeight(pattern));

/** A match takes time in proportion to the text and to what the pattern stands for. */
function spendOnMatch(value: string, schema: Schema, report: Report): void {
  report.spend(value.length * weightOf(schema));
}

/** Lengths are in code points; most texts need no counting. */
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  return [...text].length > limit;
}

const anything: UserPattern = { matches: () => true };

/** Compiled once for each schema, and gone with it. */
const patternOf = memoized(({ pattern = '' }: Schema): UserPattern => compiled(pattern));

/** What is no regular expression is refused where the schema is looked at, and restricts nothing. */
function compiled(text: string): UserPattern {
  try {
    return userPattern(text);
  } catch {
    return anything;
  }
}
