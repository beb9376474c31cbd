// `'%s is %d'.format([…])`: the clauses %s %d %f %e %b %o %x %X, with a precision.

import { formatDuration, formatTimestamp } from '../time.ts';
import { typeOf } from '../type-of.ts';
import {
  checkedLength,
  DurationValue,
  EvaluationError,
  ListValue,
  MapValue,
  TimestampValue,
  TypeValue,
  UintValue,
  type Value,
} from '../values.ts';

export function format(template: string, args: readonly Value[]): string {
  let used = 0;
  let length = template.length;
  return template.replace(/%(?:%|(\.[0-9]*)?([\s\S]?))/gu, (clause, precision: string | undefined, letter?: string) => {
    if (clause === '%%') return '%';
    const write = Object.hasOwn(clauses, letter ?? '') ? clauses[letter as string] : undefined;
    if (write === undefined)
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${letter ?? ''}"`);
    const arg = args[used++];
    if (arg === undefined) throw new EvaluationError(`index ${used - 1} out of range`);
    const written = write(arg, digitsOf(precision));
    length = checkedLength(length + written.length);
    return written;
  });
}

/** More digits than a double has say nothing. */
const maxDigits = 100;

function digitsOf(precision: string | undefined): number {
  if (precision === undefined) return 6;
  const digits = Number(precision.slice(1) || '0');
  if (digits > maxDigits) throw new EvaluationError(`error while parsing precision: must be at most ${maxDigits}`);
  return digits;
}

const numberOf = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof UintValue ? value.value : undefined;

const unsuited = (clause: string, wanted: string, value: Value) =>
  new EvaluationError(
    `error during formatting: ${clause} clause can only be used on ${wanted}, was given ${typeOf(value)}`,
  );

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : value > 0 ? 'Infinity' : '-Infinity';
}

const clauses: Readonly<Record<string, (value: Value, digits: number) => string>> = {
  s: (value) => text(value),
  d: (value) => {
    const number = numberOf(value);
    if (number !== undefined) return String(number);
    const named = typeof value === 'number' ? special(value) : undefined;
    if (named === undefined) throw unsuited('decimal', 'integers', value);
    return named;
  },
  f: (value, digits) => special(asDouble('fixed-point', value)) ?? asDouble('fixed-point', value).toFixed(digits),
  e: (value, digits) => {
    const number = asDouble('scientific', value);
    return special(number) ?? number.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2');
  },
  b: (value) => {
    const number = typeof value === 'boolean' ? BigInt(value) : numberOf(value);
    if (number === undefined) throw unsuited('binary', 'integers and bools', value);
    return number.toString(2);
  },
  o: (value) => {
    const number = numberOf(value);
    if (number === undefined) throw unsuited('octal', 'integers', value);
    return number.toString(8);
  },
  x: (value) => hex(value),
  X: (value) => hex(value).toUpperCase(),
};

function asDouble(clause: string, value: Value): number {
  if (typeof value === 'number') return value;
  const number = numberOf(value);
  if (number === undefined) throw unsuited(clause, 'doubles', value);
  return Number(number);
}

function hex(value: Value): string {
  const number = numberOf(value);
  if (number !== undefined) return number.toString(16);
  if (typeof value === 'string') return Buffer.from(value).toString('hex');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  throw unsuited('hex', 'integers, byte buffers, and strings', value);
}

/** The value as `%s` shows it. */
function text(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return special(value) ?? String(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof UintValue) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof TimestampValue) return formatTimestamp(value);
  if (value instanceof DurationValue) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${value.toArray().map(text).join(', ')}]`;
  if (value instanceof MapValue) return mapText(value);
  throw unsuited(
    'string',
    'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    value,
  );
}

/** Keys in the order of their texts. */
function mapText(map: MapValue): string {
  const entries = map.keys().map((key) => [text(key), text(map.get(key) as Value)] as const);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}
