// Amounts that are numbers or percentages: `3`, `25%`.

import { invalidValue } from '../meta/field-errors.ts';
import { notNegative, type ValidationErrors } from './rules.ts';

type Amount = number | string;

const percentForm = /^[0-9]+%$/;
const percentAdvice =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export function validateAmount(at: string, amount: Amount): ValidationErrors {
  if (typeof amount === 'number') return notNegative(at, amount);
  return percentForm.test(amount) ? [] : [invalidValue(at, amount, percentAdvice)];
}

export function notMoreThanAll(at: string, amount: Amount): ValidationErrors {
  return (percentOf(amount) ?? 0) > 100 ? [invalidValue(at, amount, 'must not be greater than 100%')] : [];
}

/** The number, whether of things or of hundredths; what is neither counts as none. */
export function sizeOf(amount: Amount | undefined): number {
  if (typeof amount === 'number') return amount;
  return percentOf(amount ?? '') ?? 0;
}

function percentOf(amount: Amount): number | undefined {
  return typeof amount === 'string' && percentForm.test(amount) ? Number(amount.slice(0, -1)) : undefined;
}
