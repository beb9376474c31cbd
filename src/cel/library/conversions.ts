// Conversions between types, and the type of a value.

import { isUtf8 } from 'node:buffer';
import { type Library, plain } from '../declarations.ts';
import { fitsInt, fitsUint } from '../literals.ts';
import { checkedTimestamp, floorDiv, formatDuration, formatTimestamp, parseDuration, parseTimestamp } from '../time.ts';
import { typeOf } from '../type-of.ts';
import {
  anyType,
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  int,
  param,
  runtimeName,
  string,
  timestamp,
  uint,
} from '../types.ts';
import { DurationValue, EvaluationError, type TimestampValue, TypeValue, UintValue, type Value } from '../values.ts';
import { checkedInt, checkedUint } from './arithmetic.ts';

const a = param('A');
const same = (value: Value): Value => value;
const convert = <V extends Value>(from: string, to: string, type: CelType, result: CelType, run: (value: V) => Value) =>
  plain(`${from}_to_${to}`, [type], result, run as (value: never) => Value);

const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

const unconverted = (to: CelType): EvaluationError =>
  new EvaluationError(`type conversion error from 'string' to '${runtimeName(to)}'`);

function parseBool(text: string): boolean {
  const value = booleans.get(text);
  if (value === undefined) throw unconverted(bool);
  return value;
}

function parseInteger(text: string): bigint {
  const value = text.length <= 100 && /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (value === undefined || !fitsInt(value)) throw unconverted(int);
  return value;
}

function parseUnsigned(text: string): UintValue {
  const value = text.length <= 100 && /^[0-9]+$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || !fitsUint(value)) throw unconverted(uint);
  return new UintValue(value);
}

const special: ReadonlyMap<string, number> = new Map([
  ['nan', Number.NaN],
  ...['inf', '+inf', 'infinity', '+infinity'].map((text) => [text, Number.POSITIVE_INFINITY] as const),
  ...['-inf', '-infinity'].map((text) => [text, Number.NEGATIVE_INFINITY] as const),
]);

function parseDouble(text: string): number {
  const named = special.get(text.toLowerCase());
  if (named !== undefined) return named;
  const isNumber = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text);
  const value = isNumber ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw unconverted(double);
  return value;
}

/** Truncates; a double that no integer can hold is an error. */
function doubleToInt(value: number): bigint {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new EvaluationError('integer overflow');
  return BigInt(Math.trunc(value));
}

function doubleToUint(value: number): UintValue {
  if (!(value >= 0 && value < 2 ** 64)) throw new EvaluationError('unsigned integer overflow');
  return new UintValue(BigInt(Math.trunc(value)));
}

/** As few digits as tell the number; an exponent of two digits below 1e-4 and from 1e6 on. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return plainDigits(digits, power);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function plainDigits(mantissa: string, power: number): string {
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0');
  const fraction = digits.slice(power + 1);
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

export function bytesToText(value: Uint8Array): string {
  if (!isUtf8(value)) throw new EvaluationError('invalid UTF-8 in bytes, cannot convert to string');
  return Buffer.from(value).toString('utf8');
}

function textToDuration(text: string): DurationValue {
  const value = parseDuration(text);
  if (value === undefined) throw unconverted(duration);
  return value;
}

function textToTimestamp(text: string): TimestampValue {
  const value = parseTimestamp(text);
  if (value === undefined) throw unconverted(timestamp);
  return value;
}

export const conversions: Library = {
  functions: {
    type: [plain('type', [a], anyType, (value: Value) => new TypeValue(typeOf(value)))],
    dyn: [plain('to_dyn', [a], dyn, same)],
    bool: [convert('bool', 'bool', bool, bool, same), convert('string', 'bool', string, bool, parseBool)],
    bytes: [
      convert('bytes', 'bytes', bytes, bytes, same),
      convert('string', 'bytes', string, bytes, (text: string) => Buffer.from(text)),
    ],
    double: [
      convert('double', 'double', double, double, same),
      convert('int64', 'double', int, double, (value: bigint) => Number(value)),
      convert('string', 'double', string, double, parseDouble),
      convert('uint64', 'double', uint, double, ({ value }: UintValue) => Number(value)),
    ],
    duration: [
      convert('duration', 'duration', duration, duration, same),
      convert('int64', 'duration', int, duration, (value: bigint) => new DurationValue(value)),
      convert('string', 'duration', string, duration, textToDuration),
    ],
    int: [
      convert('int64', 'int64', int, int, same),
      convert('double', 'int64', double, int, doubleToInt),
      convert('duration', 'int64', duration, int, ({ ns }: DurationValue) => ns),
      convert('string', 'int64', string, int, parseInteger),
      convert('timestamp', 'int64', timestamp, int, ({ ns }: TimestampValue) => floorDiv(ns, 1_000_000_000n)),
      convert('uint64', 'int64', uint, int, ({ value }: UintValue) => checkedInt(value)),
    ],
    string: [
      convert('string', 'string', string, string, same),
      convert('bool', 'string', bool, string, String),
      convert('bytes', 'string', bytes, string, bytesToText),
      convert('double', 'string', double, string, formatDouble),
      convert('duration', 'string', duration, string, formatDuration),
      convert('int64', 'string', int, string, String),
      convert('timestamp', 'string', timestamp, string, formatTimestamp),
      convert('uint64', 'string', uint, string, ({ value }: UintValue) => String(value)),
    ],
    timestamp: [
      convert('timestamp', 'timestamp', timestamp, timestamp, same),
      convert('int64', 'timestamp', int, timestamp, (value: bigint) => checkedTimestamp(value * 1_000_000_000n)),
      convert('string', 'timestamp', string, timestamp, textToTimestamp),
    ],
    uint: [
      convert('uint64', 'uint64', uint, uint, same),
      convert('double', 'uint64', double, uint, doubleToUint),
      convert('int64', 'uint64', int, uint, checkedUint),
      convert('string', 'uint64', string, uint, parseUnsigned),
    ],
  },
};
