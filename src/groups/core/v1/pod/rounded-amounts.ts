// Amounts of resources are kept to a thousandth: what is written finer is rounded up.

import { atScale, formatQuantity, parseQuantity } from '../../../../meta/quantity.ts';

type Amounts = Readonly<Record<string, string>>;

const milli = -3;
/** Written with a fraction, in millionths, billionths or small powers of ten; most amounts are not, and stay as they are. */
const mayBeFiner = /[un]$|[eE]-|\./;

/** Far more resources than anything has amounts of. */
export const mostAmounts = 5000;

/** The same object where nothing was rounded. */
export function roundedAmounts<T extends Amounts | undefined>(amounts: T): T {
  if (amounts === undefined) return amounts;
  // by keys: of a large map V8 takes three times as long to list values
  const names = Object.keys(amounts);
  if (!names.some((name) => mayBeFiner.test(amounts[name] as string))) return amounts;
  return Object.fromEntries(names.map((name) => [name, rounded(amounts[name] as string)])) as T;
}

function rounded(text: string): string {
  const quantity = parseQuantity(text);
  if (quantity === undefined || quantity.scale >= milli) return text;
  return formatQuantity({ ...quantity, digits: atScale(quantity, milli), scale: milli });
}

/** The same for fields that hold amounts by their names. */
export function roundedIn<T extends object>(given: T, names: readonly (keyof T)[]): T {
  let result = given;
  for (const name of names) {
    const amounts = given[name] as Amounts | undefined;
    const rounded = roundedAmounts(amounts);
    if (rounded !== amounts) result = { ...result, [name]: rounded };
  }
  return result;
}

interface Requirements {
  readonly limits?: Amounts;
  readonly requests?: Amounts;
}

export const roundedResources = <T extends Requirements>(given: T): T => roundedIn(given, ['limits', 'requests']);
