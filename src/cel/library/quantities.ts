// Amounts with units.

import {
  addQuantities,
  atScale,
  compareQuantities,
  negateQuantity,
  parseQuantity,
  type Quantity,
  quantityProblem,
} from '../../meta/quantity.ts';
import { type Library, member, plain } from '../declarations.ts';
import { fitsInt } from '../literals.ts';
import { bool, double, int, string } from '../types.ts';
import { EvaluationError, OpaqueValue } from '../values.ts';
import { vendorType } from './vendor.ts';

const type = vendorType('Quantity');

class QuantityValue extends OpaqueValue {
  readonly type = type;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && compareQuantities(other.quantity, this.quantity) === 0;
  }
}

function parse(text: string): QuantityValue {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new EvaluationError(quantityProblem(text));
  return new QuantityValue(quantity);
}

function integer({ quantity }: QuantityValue): bigint | undefined {
  const value = atScale(quantity, 0);
  const exact = compareQuantities({ digits: value, scale: 0, format: 'decimal' }, quantity) === 0;
  return exact && fitsInt(value) ? value : undefined;
}

function asInteger(value: QuantityValue): bigint {
  const whole = integer(value);
  if (whole === undefined) throw new EvaluationError('cannot convert value to integer');
  return whole;
}

const approximate = ({ quantity: { digits, scale } }: QuantityValue): number => Number(`${digits}e${scale}`);
const ofInt = (value: bigint): Quantity => ({ digits: value, scale: 0, format: 'decimal' });
const plus = ({ quantity }: QuantityValue, other: Quantity) => new QuantityValue(addQuantities(quantity, other));

const comparing = (test: (order: number) => boolean) => (a: QuantityValue, b: QuantityValue) =>
  test(compareQuantities(a.quantity, b.quantity));

const sign = ({ quantity: { digits } }: QuantityValue): bigint => (digits === 0n ? 0n : digits < 0n ? -1n : 1n);

export const quantities: Library = {
  functions: {
    quantity: [plain('string_to_quantity', [string], type, parse)],
    isQuantity: [plain('is_quantity_string', [string], bool, (text: string) => parseQuantity(text) !== undefined)],
    // compat: the sign of a quantity is a plain function, though all others are called on the quantity
    sign: [plain('quantity_sign', [type], int, sign)],
    isInteger: [member('quantity_is_integer', [type], bool, (value: QuantityValue) => integer(value) !== undefined)],
    asInteger: [member('quantity_get_int', [type], int, asInteger)],
    asApproximateFloat: [member('quantity_get_float', [type], double, approximate)],
    isGreaterThan: [
      member(
        'quantity_is_greater_than',
        [type, type],
        bool,
        comparing((order) => order > 0),
      ),
    ],
    isLessThan: [
      member(
        'quantity_is_less_than',
        [type, type],
        bool,
        comparing((order) => order < 0),
      ),
    ],
    compareTo: [
      member('quantity_compare_to', [type, type], int, (a: QuantityValue, b: QuantityValue) =>
        BigInt(compareQuantities(a.quantity, b.quantity)),
      ),
    ],
    add: [
      member('quantity_add', [type, type], type, (a: QuantityValue, b: QuantityValue) => plus(a, b.quantity)),
      member('quantity_add_int', [type, int], type, (a: QuantityValue, b: bigint) => plus(a, ofInt(b))),
    ],
    sub: [
      member('quantity_sub', [type, type], type, (a: QuantityValue, b: QuantityValue) =>
        plus(a, negateQuantity(b.quantity)),
      ),
      member('quantity_sub_int', [type, int], type, (a: QuantityValue, b: bigint) => plus(a, ofInt(-b))),
    ],
  },
};
