// What is wrong with the options of a deletion, whichever way they came.

import type { DeleteOptions } from '../groups/meta/v1/types.ts';
import { type Dialect, metaGroup } from '../meta/dialect.ts';
import { dryRunOf } from '../meta/dry-run.ts';
import { invalidValue, notSupported } from '../meta/field-errors.ts';
import { type FieldError, invalid } from '../meta/status.ts';

/** Whether it is a dry run; throws a 422 where options contradict each other, or mean nothing. */
export function checkDeleteOptions(options: DeleteOptions, dialect: Dialect): boolean {
  const errors: FieldError[] = [...optionErrors(options)];
  const dryRun = dryRunOf(options.dryRun ?? [], dialect, errors);
  if (errors.length > 0) throw invalidOptions(errors, dialect);
  return dryRun;
}

const invalidOptions = (errors: readonly FieldError[], dialect: Dialect) =>
  invalid({ group: metaGroup(dialect), kind: 'DeleteOptions', name: '' }, errors);

const policies: readonly string[] = ['Foreground', 'Background', 'Orphan'];

const ignoreReadError = 'ignoreStoreReadErrorWithClusterBreakingPotential';

/** Whether an object goes that cannot be read; throws a 422 where other options need it to be. */
export function deletesUnreadable(options: DeleteOptions, dialect: Dialect): boolean {
  if (!options[ignoreReadError]) return false;
  const errors = needsReading
    .filter((other) => options[other] !== undefined)
    .map((other) => invalidValue(ignoreReadError, true, `cannot be set together with .${other}`));
  if (errors.length > 0) throw invalidOptions(errors, dialect);
  return true;
}

/** Nothing of these can be kept to when the object cannot be read. */
const needsReading = [
  'dryRun',
  'propagationPolicy',
  'orphanDependents',
  'gracePeriodSeconds',
  'preconditions',
] as const;

function optionErrors({ propagationPolicy: policy, orphanDependents }: DeleteOptions): readonly FieldError[] {
  if (policy === undefined) return [];
  const field = 'propagationPolicy';
  const both = 'orphanDependents and deletionPropagation cannot be both set';
  return [
    ...(policies.includes(policy) ? [] : [notSupported(field, policy, [...policies, 'nil'])]),
    ...(orphanDependents === undefined ? [] : [invalidValue(field, policy, both)]),
  ];
}
