// Doubles in decimal digits: rounded once, from the exact value, and halves to the even digit, as Go does it.

const view = new DataView(new ArrayBuffer(8));

/** A finite double that is not negative is `mantissa * 2 ** exponent`. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | 0x10_0000_0000_0000n, exponent: exponent - 1075 };
}

const ten = (power: number): bigint => 10n ** BigInt(Math.max(0, power));
const two = (power: number): bigint => 1n << BigInt(Math.max(0, power));

/** `value * 10 ** power` as an integer. */
function scaled(value: number, power: number): bigint {
  const { mantissa, exponent } = parts(value);
  const above = mantissa * two(exponent) * ten(power);
  const below = two(-exponent) * ten(-power);
  const whole = above / below;
  const twice = 2n * (above % below);
  return twice > below || (twice === below && whole % 2n === 1n) ? whole + 1n : whole;
}

/** With so many digits after the point; the sign is left to the caller. */
export function fixedDigits(value: number, fraction: number): string {
  const digits = String(scaled(value, fraction)).padStart(fraction + 1, '0');
  const point = digits.length - fraction;
  return fraction === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** One digit before the point and so many after it. */
export function scientificDigits(value: number, fraction: number): { readonly digits: string; readonly power: number } {
  if (value === 0) return { digits: fixedDigits(0, fraction), power: 0 };
  let power = Number(value.toExponential().split('e')[1]);
  let digits = String(scaled(value, fraction - power));
  // the shortest form may be a power above the exact value, and rounding may lead to the next power
  const shift = digits.length - fraction - 1;
  if (shift !== 0) {
    power += shift;
    digits = String(scaled(value, fraction - power));
  }
  return { digits: fraction === 0 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`, power };
}
