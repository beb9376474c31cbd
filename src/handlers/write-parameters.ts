// Query parameters that every write understands.

import { cannotBeHandled, type ExpectedKind } from '../codec/decode-object.ts';
import type { Dialect } from '../meta/dialect.ts';
import { metaGroup } from '../meta/dialect.ts';
import type { Exchange } from '../meta/exchange.ts';
import { invalidValue, notSupported } from '../meta/field-errors.ts';
import { badRequest, type FieldError, invalid } from '../meta/status.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteParameters {
  readonly dryRun: boolean;
  readonly fieldValidation: FieldValidation;
}

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

const levels: readonly string[] = ['Ignore', 'Warn', 'Strict'];
const maxFieldManager = 128;

/** Throws a 422 that names the options kind. */
export function writeParameters({ query }: Exchange, dialect: Dialect, kind: OptionsKind): WriteParameters {
  const errors: FieldError[] = [];
  const dryRun = dryRunOf(query.getAll('dryRun'), dialect, errors);
  const level = query.get('fieldValidation') || 'Warn';
  if (!levels.includes(level)) errors.push(notSupported('fieldValidation', level, levels));
  const manager = query.get('fieldManager') ?? '';
  if (manager.length > maxFieldManager) {
    errors.push(invalidValue('fieldManager', manager, `may not be more than ${maxFieldManager} bytes`));
  }
  if (errors.length > 0) throw invalid({ group: metaGroup(dialect), kind, name: '' }, errors);
  return { dryRun, fieldValidation: level as FieldValidation };
}

export function dryRunOf(values: readonly string[], dialect: Dialect, errors: FieldError[]): boolean {
  const given = dialect.rules.emptyDryRun === 'ignored' ? values.filter((value) => value !== '') : values;
  if (given.some((value) => value !== 'All')) errors.push(notSupported('dryRun', given, ['All']));
  return given.includes('All');
}

/** What the client wants done about fields the schema does not know. */
export function reportUnknownFields(
  exchange: Exchange,
  paths: readonly string[],
  level: FieldValidation,
  refuse: (text: string) => Error,
): void {
  if (paths.length === 0 || level === 'Ignore') return;
  const texts = paths.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (level === 'Strict') throw refuse(`strict decoding error: ${texts.join(', ')}`);
  for (const text of texts) exchange.warn(text);
}

/** How a body with unknown fields is refused. */
export function refuseBody(expected: ExpectedKind): (text: string) => Error {
  return (text) => badRequest(`${cannotBeHandled(expected)}: ${text}`);
}
