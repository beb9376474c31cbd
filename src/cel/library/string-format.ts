// `'%s is %d'.format([…])` as version 2 of the string library has it, which is the one of Kubernetes: doubles are written
// as in the United States, with groups of digits and superscripts, and lists and maps as literals of the language.

import { goQuoted } from '../../base/go-format.ts';
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
import { bytesToText, formatDouble } from './conversions.ts';
import { fixedDigits, scientificDigits } from './double-digits.ts';
import { type Clause, interpolate, textFault, typeFaults } from './string-template.ts';

export function format(template: string, args: readonly Value[]): string {
  let length = template.length;
  return interpolate(template, {
    count: args.length,
    write: (clause, index, digits) => {
      const written = writers[clause](args[index] as Value, digits);
      length = checkedLength(length + written.length);
      return written;
    },
  });
}

/** More digits than a double has say nothing. */
const maxDigits = 100;
const defaultDigits = 6;

const numberOf = (value: Value): bigint | undefined =>
  typeof value === 'bigint' ? value : value instanceof UintValue ? value.value : undefined;

const fault = (message: string) => new EvaluationError(`error during formatting: ${message}`);

function integer(clause: Clause, value: Value): bigint {
  const number = numberOf(value);
  if (number === undefined) throw fault(typeFaults[clause](typeOf(value)));
  return number;
}

const named: ReadonlyMap<Value, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** What cannot be written with digits may be given as a text. */
function double(clause: Clause, value: Value): number {
  const number = typeof value === 'number' ? value : named.get(value);
  if (number === undefined) throw fault(typeFaults[clause](typeOf(value)));
  return number;
}

function digitsOf(digits: number | undefined): number {
  if (digits !== undefined && digits > maxDigits) throw fault(`precision must be at most ${maxDigits}`);
  return digits ?? defaultDigits;
}

const writers: Readonly<Record<Clause, (value: Value, digits: number | undefined) => string>> = {
  s: (value) => text(value),
  d: (value) => String(integer('d', value)),
  f: (value, digits) => fixed(double('f', value), digitsOf(digits)),
  e: (value, digits) => scientific(double('e', value)).padStart(digitsOf(digits), ' '),
  b: (value) => integer('b', typeof value === 'boolean' ? BigInt(value) : value).toString(2),
  o: (value) => integer('o', value).toString(8),
  x: (value) => hex('x', value),
  X: (value) => hex('X', value).toUpperCase(),
};

const signed = (value: number, size: string): string => (value < 0 ? `-${size}` : size);

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? undefined : signed(value, '∞');
}

function fixed(value: number, digits: number): string {
  const named = special(value);
  if (named !== undefined) return named;
  const [whole = '', fraction] = fixedDigits(Math.abs(value), digits).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return signed(value, fraction === undefined ? grouped : `${grouped}.${fraction}`);
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const raised = (digits: string): string =>
  digits.replace(/[-0-9]/g, (digit) => (digit === '-' ? '⁻' : (superscripts[Number(digit)] as string)));

// compat: there are always six digits, and the precision is the least width; Kubernetes' library passes it on as such
function scientific(value: number): string {
  const named = special(value);
  if (named !== undefined) return named;
  const { digits, power } = scientificDigits(Math.abs(value), defaultDigits);
  const exponent = `${power < 0 ? '-' : ''}${String(Math.abs(power)).padStart(2, '0')}`;
  return signed(value, `${digits}×10${raised(exponent)}`);
}

function hex(clause: Clause, value: Value): string {
  if (typeof value === 'string' || value instanceof Uint8Array) return Buffer.from(value as string).toString('hex');
  return integer(clause, value).toString(16);
}

/** The value as `%s` shows it. */
function text(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatDouble(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof UintValue) return String(value.value);
  if (value instanceof Uint8Array) return bytesToText(value);
  if (value instanceof TimestampValue) return formatTimestamp(value);
  if (value instanceof DurationValue) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof ListValue) return `[${value.toArray().map(literal).join(', ')}]`;
  if (value instanceof MapValue) return mapText(value);
  throw fault(textFault(typeOf(value)));
}

/** Entries in the order of the texts of their keys. */
function mapText(map: MapValue): string {
  const entries = map.keys().map((key) => [literal(key), literal(map.get(key) as Value)] as const);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

/** The value inside of a list or map. */
function literal(value: Value): string {
  if (typeof value === 'string') return goQuoted(value);
  if (typeof value === 'number') return literalDouble(value);
  if (value instanceof Uint8Array) return `b${goQuoted(bytesToText(value))}`;
  if (value instanceof TimestampValue) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof DurationValue) return `duration("${formatDuration(value)}")`;
  if (isText(value)) return text(value);
  throw fault(`no formatting function for ${typeOf(value)}`);
}

const isText = (value: Value): boolean =>
  value === null ||
  typeof value !== 'object' ||
  [UintValue, TypeValue, ListValue, MapValue].some((known) => value instanceof known);

const literalDouble = (value: number): string =>
  Number.isFinite(value) ? signed(value, fixedDigits(Math.abs(value), defaultDigits)) : `"${formatDouble(value)}"`;
