// The values of dryRun, in a query or in options.

import type { Dialect } from './dialect.ts';
import { notSupported } from './field-errors.ts';
import type { FieldError } from './status.ts';

/** Whether nothing is to be stored; `errors` is told of values that there are not. */
export function dryRunOf(values: readonly string[], dialect: Dialect, errors: FieldError[]): boolean {
  const given = dialect.rules.emptyDryRun === 'ignored' ? values.filter((value) => value !== '') : values;
  if (given.some((value) => value !== 'All')) errors.push(notSupported('dryRun', given, ['All']));
  return given.includes('All');
}
