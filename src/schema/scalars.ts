// Decoding of scalars: the canonical value, or a `TypeMismatch`.

import { canonicalQuantity, quantityProblem } from '../meta/quantity.ts';
import { normalizeMicroTime, normalizeTime } from '../meta/time.ts';
import { microTimePieces, timePieces, timeProblem } from '../wording/time-problem.ts';
import { jsonForm, TypeMismatch, WrittenNumber, wrongForm } from '../wording/type-mismatch.ts';
import type { ScalarName } from './types.ts';

type ReadScalar = (value: unknown) => unknown;

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

export const scalars: Readonly<Record<ScalarName, ReadScalar>> = {
  string: (value) => (typeof value === 'string' ? value : fail(value, 'string')),
  bool: (value) => (typeof value === 'boolean' ? value : fail(value, 'bool')),
  double: (value) => (typeof value === 'number' || typeof value === 'bigint' ? value : fail(value, 'float64')),
  int32: (value) => {
    const fits = Number.isInteger(value) && (value as number) <= 2147483647 && (value as number) >= -2147483648;
    return fits ? value : failInteger(value, 'int32');
  },
  int64: (value) => {
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
    const fits = Number.isInteger(value) && Math.abs(value as number) < 2 ** 63;
    return fits ? value : failInteger(value, 'int64');
  },
  bytes: (value) => {
    if (Array.isArray(value)) return fromNumbers(value);
    if (typeof value !== 'string') return fail(value, '[]uint8');
    const text = value.replace(/[\r\n]/g, '');
    if (text.length % 4 !== 0 || !base64.test(text))
      throw new TypeMismatch(`illegal base64 data at input byte ${firstIllegal(text)}`);
    // bits that stand for nothing may be set: they are cleared
    return text.endsWith('=') ? Buffer.from(text, 'base64').toString('base64') : text;
  },
  'date-time': (value) => timestamp(value, normalizeTime, timePieces),
  'micro-time': (value) => timestamp(value, normalizeMicroTime, microTimePieces),
  quantity: (value) => {
    const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
    const text = isText ? String(value).trim() : '';
    const canonical = canonicalQuantity(text);
    if (canonical === undefined) throw new TypeMismatch(quantityProblem(text));
    return canonical;
  },
  'int-or-string': (value) => (typeof value === 'string' ? value : scalars.int32(value)),
  'raw-extension': (value) => value,
  'any-json': (value) => value,
  'fields-v1': (value) => value,
};

/** Scalars that read themselves: what is wrong with one of them ends the reading, whatever was wrong before. */
export const selfReading: ReadonlySet<ScalarName> = new Set(['date-time', 'micro-time', 'quantity', 'int-or-string']);

/** The first second of the year 1 stands for no time at all. */
const zeroTime = /^0001-01-01T00:00:00(\.0{6})?Z$/;

function timestamp(
  value: unknown,
  normalize: (text: string) => string | undefined,
  pieces: Parameters<typeof timeProblem>[1],
): string | null {
  if (typeof value !== 'string') return fail(value, 'string');
  const text = normalize(value);
  if (text === undefined) throw new TypeMismatch(timeProblem(value, pieces));
  return zeroTime.test(text) ? null : text;
}

/** compat: bytes may also be given as a list of numbers; no value is zero */
function fromNumbers(list: readonly unknown[]): string {
  const numbers = list.map((one) => {
    if (one === null) return 0;
    const fits = Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 255;
    return fits ? (one as number) : failInteger(one, 'uint8');
  });
  return Buffer.from(numbers).toString('base64');
}

function fail(value: unknown, expected: string): never {
  throw wrongForm(jsonForm(value), expected);
}

/** Numbers are told as they are: most of these are integers, only too large. */
function failInteger(value: unknown, expected: string): never {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const literal = value instanceof WrittenNumber ? value.literal : String(value);
  throw wrongForm(isNumber || value instanceof WrittenNumber ? `number ${literal}` : jsonForm(value), expected);
}

/** Where base64 stops being base64. */
function firstIllegal(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/]/);
  if (at >= 0) return at === text.length - 1 && at % 4 === 2 ? text.length : at;
  // the last group of four is incomplete
  return text.length - (text.length % 4);
}
