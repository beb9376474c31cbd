// The values of dryRun, in a query or in options.

import type { Dialect } from './dialect.ts';
import { notSupported } from './field-errors.ts';
import type { FieldError } from './status.ts';

/** Whether nothing is stored; unsupported values are added to `errors`. */
export function dryRunOf(values: readonly string[], dialect: Dialect, errors: FieldError[]): boolean {
  const checkedValues = dialect.rules.emptyDryRun === 'ignored' ? values.filter((value) => value !== '') : values;
  if (checkedValues.some((value) => value !== 'All')) errors.push(notSupported('dryRun', checkedValues, ['All']));
  return checkedValues.includes('All');
}
