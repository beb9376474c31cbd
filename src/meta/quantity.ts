// Quantities: decimal numbers with a unit, `500m`, `2Gi`, `1e3`. Exact: nothing goes through floating point.

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

/** Nobody writes more; a longer text is not worth the arithmetic. */
const maxLength = 100;
/** Nothing finer than this is kept; it is rounded up. */
const finest = -9;
const maxExponent = 100;

const form = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([a-zA-Z]*)([+-]?[0-9]*)$/;

/** Undefined when the text is no quantity. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = text.length > maxLength ? null : form.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', unit = '', exponent = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}` || '0');
  const scaled = applyUnit(digits, -fraction.length, unit, exponent);
  return scaled && atFinest(scaled);
}

function applyUnit(digits: bigint, scale: number, unit: string, exponent: string): Quantity | undefined {
  if (exponent !== '') {
    const power = Number(exponent);
    if (!/^[eE]$/.test(unit) || !/[0-9]/.test(exponent) || Math.abs(power) > maxExponent) return undefined;
    return { digits, scale: scale + power, format: 'exponent' };
  }
  const shift = binaryUnits.get(unit);
  if (shift !== undefined) return { digits: digits << shift, scale, format: 'binary' };
  const power = decimalUnits.get(unit);
  return power === undefined ? undefined : { digits, scale: scale + power, format: 'decimal' };
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

/** The one way to write a quantity; undefined when the text is none. */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(quantity);
}

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
  const difference = atScale(a, finest) - atScale(b, finest);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale);
  const format = a.digits === 0n ? b.format : a.format;
  return { digits: atScale(a, scale) + atScale(b, scale), scale, format };
}

export const negateQuantity = (quantity: Quantity): Quantity => ({ ...quantity, digits: -quantity.digits });

/** The amount as an integer of ten to the power of `scale`, rounded up. */
export function atScale({ digits, scale: from }: Quantity, scale: number): bigint {
  return from >= scale ? digits * 10n ** BigInt(from - scale) : dividedUp(digits, 10n ** BigInt(scale - from));
}
