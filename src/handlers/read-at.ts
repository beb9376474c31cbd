// How fresh a read has to be, from the query: the resourceVersion table.

import { type Dialect, metaGroup } from '../meta/dialect.ts';
import { forbiddenField, notSupported } from '../meta/field-errors.ts';
import { type Query, queryInteger } from '../meta/query.ts';
import { parseRevision, type ReadAt, type Revision } from '../meta/revision.ts';
import { type ApiError, badRequest, type FieldError, invalid, plainError } from '../meta/status.ts';
import { type ContinueToken, decodeContinue } from '../registry/continue-token.ts';
import type { Call } from './call.ts';
import type { Services } from './services.ts';

export function readAtForGet({ exchange: { query }, services: { dialect } }: Call): ReadAt {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return { mode: 'latest' };
  if (text === '0') return { mode: 'any' };
  return { mode: 'notOlderThan', revision: needRevision(text, dialect) };
}

/** Throws where the text is no version. */
export function needRevision(text: string, { rules }: Dialect): Revision {
  const revision = parseRevision(text);
  if (revision !== undefined) return revision;
  throw rules.invalidResourceVersion === 400 ? invalidListVersion(text) : plainError(notARevision(text));
}

interface ListPosition {
  readonly at: ReadAt;
  readonly limit: number | undefined;
  readonly continue: ContinueToken | undefined;
}

type ListServices = Pick<Services, 'dialect' | 'chunksLists'>;

/** Throws for every cell of the table that makes no sense. */
export function listPosition(query: Query, { dialect, chunksLists }: ListServices): ListPosition {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const token = query.get('continue') ?? '';
  checkNumericOptions(query);
  checkListOptions(query, dialect);
  const limit = chunksLists ? positive(queryInteger(query, 'limit')) : undefined;
  if (token !== '' && chunksLists) return continued(version, token, limit, dialect);
  const at = listReadAt(version, match, limit);
  // compat: a list at any version is served whole
  const whole = at.mode === 'any' && dialect.rules.limitAtAnyVersion === 'ignored';
  return { at, limit: whole ? undefined : limit, continue: undefined };
}

/** Lists and watches take the same options: a number that is none is refused by both, used or not. */
export function checkNumericOptions(query: Query): void {
  queryInteger(query, 'limit');
  queryInteger(query, 'timeoutSeconds');
}

const positive = (limit: number | undefined) => (limit !== undefined && limit > 0 ? limit : undefined);

function continued(version: string, token: string, limit: number | undefined, dialect: Dialect): ListPosition {
  if (version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  const whole = version === '0' && dialect.rules.limitAtAnyVersion === 'ignored';
  return { at: { mode: 'latest' }, limit: whole ? undefined : limit, continue: decodeContinue(token, dialect) };
}

function listReadAt(version: string, match: string, limit: number | undefined): ReadAt {
  if (version === '') return { mode: 'latest' };
  if (version === '0') return { mode: 'any' };
  const exact = match === 'Exact' || (match === '' && limit !== undefined);
  return { mode: exact ? 'exact' : 'notOlderThan', revision: needListRevision(version) };
}

function notARevision(text: string): string {
  const quoted = JSON.stringify(text);
  const why = /^[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax';
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`;
}

function needListRevision(text: string): Revision {
  const revision = parseRevision(text);
  if (revision === undefined) throw invalidListVersion(text);
  return revision;
}

const invalidListVersion = (text: string): ApiError => badRequest(`invalid resource version: ${notARevision(text)}`);

/** Throws where the options make no sense together. */
export function checkListOptions(query: Query, dialect: Dialect): void {
  refuseListOptions(listOptionErrors(query), dialect);
}

/** Throws where anything is wrong with the options of a list or a watch. */
export function refuseListOptions(errors: readonly FieldError[], dialect: Dialect): void {
  if (errors.length === 0) return;
  if (dialect.rules.invalidListOptions === 400)
    throw badRequest(errors.map((e) => `${e.field}: ${e.message}`).join(', '));
  throw invalid({ group: metaGroup(dialect), kind: 'ListOptions', name: '' }, errors);
}

const matches: readonly string[] = ['Exact', 'NotOlderThan'];

function listOptionErrors(query: Query): readonly FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const errors =
    match === '' ? [] : matchErrors(match, query.get('resourceVersion') ?? '', query.get('continue') ?? '');
  if (query.has('sendInitialEvents'))
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function matchErrors(match: string, version: string, token: string): FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (detail: string) => errors.push(forbiddenField('resourceVersionMatch', detail));
  if (version === '') forbid('resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (token !== '') forbid('resourceVersionMatch is forbidden when continue is provided');
  if (!matches.includes(match)) errors.push(notSupported('resourceVersionMatch', match, [...matches, '']));
  if (match === 'Exact' && version === '0') forbid('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  return errors;
}
