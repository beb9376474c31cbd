// Query parameters that every write understands.

import { cannotBeHandled, type ExpectedKind } from '../../codec/decode-object.ts';
import { warningsOf } from '../../codec/strict.ts';
import type { Dialect } from '../../meta/dialect.ts';
import { metaGroup } from '../../meta/dialect.ts';
import { dryRunOf } from '../../meta/dry-run.ts';
import type { Exchange } from '../../meta/exchange.ts';
import { forbiddenField, notSupported, required } from '../../meta/field-errors.ts';
import { validateManagerName } from '../../meta/manager-name.ts';
import { emptyQuery, type Query, queryFlag } from '../../meta/query.ts';
import { badRequest, type FieldError, invalid } from '../../meta/status.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

interface WriteParameters {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

const levels: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

/** Throws a 422 that names the options kind. */
export function writeParameters({ query }: Exchange, dialect: Dialect, kind: OptionsKind): WriteParameters {
  const errors: FieldError[] = [];
  const parameters = readParameters(query, dialect, errors);
  refuseOptions(dialect, kind, errors);
  return parameters;
}

export interface PatchParameters extends WriteParameters {
  readonly force: boolean;
}

/** The same for a patch; an apply has to name its manager, and only an apply may be forced. */
export function patchParameters({ query }: Exchange, dialect: Dialect, isApply: boolean): PatchParameters {
  const errors: FieldError[] = [];
  if (!isApply && query.has('force')) errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  if (isApply && !query.get('fieldManager')) errors.push(required('fieldManager', 'is required for apply patch'));
  const { dryRun, fieldValidation } = readParameters(query, dialect, errors);
  refuseOptions(dialect, 'PatchOptions', errors);
  return { dryRun, fieldValidation, force: query.has('force') && queryFlag(query, 'force') };
}

const usual: WriteParameters = { dryRun: false, fieldValidation: 'Warn' };

function readParameters(query: Query, dialect: Dialect, errors: FieldError[]): WriteParameters {
  if (query === emptyQuery) return usual;
  const manager = query.get('fieldManager') ?? '';
  errors.push(...validateManagerName('fieldManager', manager));
  const dryRun = dryRunOf(query.getAll('dryRun'), dialect, errors);
  const level = query.get('fieldValidation') || 'Warn';
  if (!levels.includes(level)) errors.push(notSupported('fieldValidation', level, levels));
  return { dryRun, fieldValidation: level as FieldValidation };
}

function refuseOptions(dialect: Dialect, kind: OptionsKind, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: metaGroup(dialect), kind, name: '' }, errors);
}

/** What the client wants done about what strict decoding finds. */
export function reportStrictErrors(
  exchange: Exchange,
  errors: readonly string[],
  level: FieldValidation,
  refuse: (text: string) => Error,
  prefix = 'strict decoding error: ',
): void {
  if (errors.length === 0) return;
  exchange.droppedFields = true;
  if (level === 'Ignore') return;
  if (level === 'Strict') throw refuse(`${prefix}${errors.join(', ')}`);
  for (const error of errors) for (const text of warningsOf(error)) exchange.warn(text);
}

/** How a body with unknown fields is refused. */
export function refuseBody(expected: ExpectedKind): (text: string) => Error {
  return (text) => badRequest(`${cannotBeHandled(expected)}: ${text}`);
}
