// `'%s is %d'.format([…])` as version 2 of the string library has it, which is the one of Kubernetes: doubles are written
// as in the United States, with groups of digits and superscripts, and lists and maps as literals of the language.

import { goQuoted } from '../../wording/go-format.ts';
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
import { perItem, work } from '../work.ts';
import { bytesToText, formatDouble } from './conversions.ts';
import { fixedDigits, scientificDigits } from './double-digits.ts';
import { type Clause, interpolate, textFault, typeFaults } from './string-template.ts';

export function format(template: string, args: readonly Value[]): string {
  const written = new Output(template.length);
  return interpolate(template, {
    count: args.length,
    write: (clause, index, digits) => {
      writers[clause](args[index] as Value, written, digits);
      return written.take();
    },
  });
}

/** Collects output and charges for it at once: a list may have one long item in many places, and so may that item. */
class Output {
  #text = '';
  #length: number;

  constructor(length: number) {
    this.#length = length;
  }

  add(text: string): void {
    this.#length = checkedLength(this.#length + text.length);
    work(2 * perItem + text.length);
    this.#text += text;
  }

  /** The text written since the last call. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
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

/** Writing a double by exact arithmetic. */
const perDouble = 5000;

function ofDouble(clause: Clause, value: Value): number {
  work(perDouble);
  return double(clause, value);
}

type Writer = (value: Value, written: Output, digits: number | undefined) => void;

const simple =
  (text: (value: Value, digits: number | undefined) => string): Writer =>
  (value, written, digits) =>
    written.add(text(value, digits));

const writers: Readonly<Record<Clause, Writer>> = {
  s: (value, written) => addText(value, written),
  d: simple((value) => String(integer('d', value))),
  f: simple((value, digits) => fixed(ofDouble('f', value), digitsOf(digits))),
  e: simple((value, digits) => scientific(ofDouble('e', value)).padStart(digitsOf(digits), ' ')),
  b: simple((value) => integer('b', typeof value === 'boolean' ? BigInt(value) : value).toString(2)),
  o: simple((value) => integer('o', value).toString(8)),
  x: simple((value) => hex('x', value)),
  X: simple((value) => hex('X', value).toUpperCase()),
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
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return integer(clause, value).toString(16);
  checkedLength(2 * value.length);
  return Buffer.from(value as string).toString('hex');
}

/** The value as `%s` shows it. */
function addText(value: Value, written: Output): void {
  if (value instanceof ListValue) addList(value, written);
  else if (value instanceof MapValue) addMap(value, written);
  else written.add(textOf(value));
}

function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatDouble(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (value instanceof UintValue) return String(value.value);
  if (value instanceof Uint8Array) return bytesToText(value);
  if (value instanceof TimestampValue) return formatTimestamp(value);
  if (value instanceof DurationValue) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  throw fault(textFault(typeOf(value)));
}

function addList(list: ListValue, written: Output): void {
  written.add('[');
  for (let index = 0; index < list.size; index++) {
    if (index > 0) written.add(', ');
    addLiteral(list.at(index), written);
  }
  written.add(']');
}

/** Entries in the order of the texts of their keys. */
function addMap(map: MapValue, written: Output): void {
  const keys = new Output(0);
  const entries = map.keys().map((key) => {
    addLiteral(key, keys);
    return [keys.take(), map.get(key) as Value] as const;
  });
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  written.add('{');
  for (const [index, [key, value]] of entries.entries()) {
    written.add(index > 0 ? `, ${key}:` : `${key}:`);
    addLiteral(value, written);
  }
  written.add('}');
}

/** The value inside of a list or map. */
function addLiteral(value: Value, written: Output): void {
  if (value instanceof ListValue) addList(value, written);
  else if (value instanceof MapValue) addMap(value, written);
  else written.add(literal(value));
}

function literal(value: Value): string {
  if (typeof value === 'string') return goQuoted(value);
  if (typeof value === 'number') return literalDouble(value);
  if (value instanceof Uint8Array) return `b${goQuoted(bytesToText(value))}`;
  if (value instanceof TimestampValue) return `timestamp("${formatTimestamp(value)}")`;
  if (value instanceof DurationValue) return `duration("${formatDuration(value)}")`;
  if (isText(value)) return textOf(value);
  throw fault(`no formatting function for ${typeOf(value)}`);
}

const isText = (value: Value): boolean =>
  value === null || typeof value !== 'object' || value instanceof UintValue || value instanceof TypeValue;

function literalDouble(value: number): string {
  work(perDouble);
  return Number.isFinite(value)
    ? signed(value, fixedDigits(Math.abs(value), defaultDigits))
    : `"${formatDouble(value)}"`;
}
