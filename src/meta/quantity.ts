// Quantities: decimal numbers with a unit, `500m`, `2Gi`, `1e3`. Exact: no floating point is used.

import { RecentMap } from '../base/maps/recent-map.ts';

/** Families of units; a quantity is written back in the family it came in. */
type Format = 'decimal' | 'binary' | 'exponent';

/** `digits` times ten to the power of `scale`. */
export interface Quantity {
  readonly digits: bigint;
  readonly scale: number;
  readonly format: Format;
}

const decimalUnits = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const binaryUnits = new Map([
  ['Ki', 10n],
  ['Mi', 20n],
  ['Gi', 30n],
  ['Ti', 40n],
  ['Pi', 50n],
  ['Ei', 60n],
]);

/** No honest client writes more; a longer text is not worth the arithmetic. */
const maxLength = 100;
/** Nothing finer than this is kept; it is rounded up. */
const finest = -9;
const maxExponent = 500;

/** compat: an amount without digits is none, which is an amount too */
const form = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*)([-+]?[0-9]*)$/;

/** Most amounts are plain integers, which need no parsing. */
const plainInteger = /^[0-9]{1,15}$/;

/** A longer string may be a slice of a large text, which V8 would keep with it. */
const maxKeptLength = 12;
/** Several rules read each amount of an object, and many objects have equal amounts. */
const recentQuantities = new RecentMap<Quantity>(512);

/** Undefined when the text is no quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  if (text.length > maxKeptLength) return readQuantity(text);
  const recent = recentQuantities.get(text);
  if (recent !== undefined) return recent;
  const quantity = readQuantity(text);
  if (quantity !== undefined) recentQuantities.set(text, quantity);
  return quantity;
}

function readQuantity(text: string): Quantity | undefined {
  if (plainInteger.test(text)) return { digits: BigInt(text), scale: 0, format: 'decimal' };
  const match = parts(text);
  return match && amountOf(match);
}

const parts = (text: string): RegExpExecArray | undefined =>
  text.length > maxLength || text === '' ? undefined : (form.exec(text) ?? undefined);

function amountOf([, sign = '', whole = '', fraction = '', unit = '', exponent = '']: RegExpExecArray):
  | Quantity
  | undefined {
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}0`) / 10n;
  const scaled = applyUnit(digits, -fraction.length, unit, exponent);
  return scaled && atFinest(scaled);
}

function applyUnit(digits: bigint, scale: number, unit: string, exponent: string): Quantity | undefined {
  const shift = exponent === '' ? binaryUnits.get(unit) : undefined;
  if (shift !== undefined) return capped({ digits: digits << shift, scale, format: 'binary' });
  const power = powerOf(unit, exponent);
  return power && { digits, scale: scale + power.of, format: power.format };
}

/** The power of ten of a unit; undefined for powers of two, and for invalid units. */
function powerOf(unit: string, exponent: string): { readonly of: number; readonly format: Format } | undefined {
  if (exponent === '') {
    const of = decimalUnits.get(unit);
    return of === undefined ? undefined : { of, format: 'decimal' };
  }
  const of = Number(exponent);
  if (!/^[eE]$/.test(unit) || !/[0-9]/.test(exponent) || Math.abs(of) > maxExponent) return undefined;
  return { of, format: 'exponent' };
}

const most = 2n ** 63n - 1n;

/** Amounts in binary units end where 64 bits end. */
function capped(quantity: Quantity): Quantity {
  const { digits, scale } = quantity;
  const limit = most * 10n ** BigInt(-scale);
  if (digits <= limit && digits >= -limit) return quantity;
  return { ...quantity, digits: digits < 0n ? -most : most, scale: 0 };
}

function atFinest(quantity: Quantity): Quantity {
  if (quantity.scale >= finest) return quantity;
  return { ...quantity, digits: dividedUp(quantity.digits, 10n ** BigInt(finest - quantity.scale)), scale: finest };
}

/** Division away from zero. */
function dividedUp(value: bigint, by: bigint): bigint {
  const rest = value % by;
  if (rest === 0n) return value / by;
  return value / by + (value < 0n ? -1n : 1n);
}

const recentForms = new RecentMap<string>(512);

/** The canonical form of a quantity; undefined for invalid text. */
export function canonicalQuantity(text: string): string | undefined {
  if (text.length > maxKeptLength) return makeCanonical(text);
  const recent = recentForms.get(text);
  if (recent !== undefined) return recent;
  const canonical = makeCanonical(text);
  if (canonical !== undefined) recentForms.set(text, canonical);
  return canonical;
}

function makeCanonical(text: string): string | undefined {
  const match = parts(text);
  if (match === undefined) return undefined;
  if (isKept(match)) return text;
  const quantity = amountOf(match);
  return quantity && formatQuantity(quantity);
}

/** How many digits an amount may have to be kept as it was written, by its unit. */
const maxKeptDigits = new Map([
  ['Ki', 11],
  ['Mi', 8],
  ['Gi', 5],
  ['Ti', 2],
]);
const maxDecimalDigits = 18;

/** compat: an amount that looks canonical is kept as it was written, such as 1.500 or +5 */
function isKept([, , whole = '', fraction = '', unit = '', exponent = '']: RegExpExecArray): boolean {
  if (whole === '') return false;
  const maxDigits = exponent === '' && fraction === '' ? maxKeptDigits.get(unit) : undefined;
  if (maxDigits !== undefined) return whole.length <= maxDigits && Number(whole) % 8 !== 0;
  const power = powerOf(unit, exponent);
  if (power === undefined || whole.length + fraction.length > maxDecimalDigits) return false;
  const scale = power.of - fraction.length;
  return scale >= finest && scale % 3 === 0 && !`${whole}${fraction}`.endsWith('000');
}

/** What keeps a text from being a quantity. */
export const quantityProblem = (text: string): string =>
  parts(text) === undefined ? quantityRule : "unable to parse quantity's suffix";

const quantityRule = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

export function formatQuantity({ digits, scale, format }: Quantity): string {
  if (digits === 0n) return '0';
  // compat: small and fractional amounts in binary units are written in decimal ones
  if (format === 'binary') {
    const whole = asInteger(digits, scale);
    if (whole !== undefined && (whole >= 1024n || whole <= -1024n)) return formatBinary(whole);
  }
  return formatDecimal(digits, scale, format === 'exponent');
}

function asInteger(digits: bigint, scale: number): bigint | undefined {
  if (scale >= 0) return digits * 10n ** BigInt(scale);
  const by = 10n ** BigInt(-scale);
  return digits % by === 0n ? digits / by : undefined;
}

function formatBinary(value: bigint): string {
  let rest = value;
  let unit = '';
  for (const name of binaryUnits.keys()) {
    if (rest % 1024n !== 0n) break;
    rest /= 1024n;
    unit = name;
  }
  return `${rest}${unit}`;
}

function formatDecimal(digits: bigint, scale: number, asExponent: boolean): string {
  let rest = digits;
  let power = scale;
  while (rest % 10n === 0n) {
    rest /= 10n;
    power++;
  }
  while (power % 3 !== 0) {
    rest *= 10n;
    power--;
  }
  while (!asExponent && power > 18) {
    rest *= 1000n;
    power -= 3;
  }
  if (asExponent) return power === 0 ? String(rest) : `${rest}e${power}`;
  return `${rest}${decimalNames.get(power) ?? ''}`;
}

const decimalNames = new Map([...decimalUnits].map(([name, power]) => [power, name]));

/** Negative, zero or positive, as `a` is less than, equal to or more than `b`. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const scale = Math.max(finest, Math.min(a.scale, b.scale));
  const difference = atScale(a, scale) - atScale(b, scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale);
  const format = a.digits === 0n ? b.format : a.format;
  return { digits: atScale(a, scale) + atScale(b, scale), scale, format };
}

export const negateQuantity = (quantity: Quantity): Quantity => ({ ...quantity, digits: -quantity.digits });

/** Whether it is a whole number once parts finer than a thousandth are rounded up. */
export const isWhole = (quantity: Quantity): boolean => quantity.scale >= 0 || atScale(quantity, -3) % 1000n === 0n;

/** The amount as an integer of ten to the power of `scale`, rounded up. */
export function atScale({ digits, scale: from }: Quantity, scale: number): bigint {
  if (from === scale) return digits;
  return from >= scale ? digits * 10n ** BigInt(from - scale) : dividedUp(digits, 10n ** BigInt(scale - from));
}
