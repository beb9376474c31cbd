// Where a watch begins, from the query.

import { forbiddenField, notSupported } from '../../meta/field-errors.ts';
import { queryFlag } from '../../meta/query.ts';
import type { ReadAt, Revision } from '../../meta/revision.ts';
import type { FieldError } from '../../meta/status.ts';
import type { Call } from '../call.ts';
import { checkListOptions, checkNumericOptions, needRevision, refuseListOptions } from '../read-at.ts';

/** From a state, shown as ADDED events, or after a revision; `fresh` is what has to hold before it can begin. */
export type WatchStart =
  | { readonly kind: 'state'; readonly fresh: ReadAt; readonly markEnd: boolean }
  | { readonly kind: 'now'; readonly fresh: ReadAt }
  | { readonly kind: 'after'; readonly fresh: ReadAt; readonly revision: Revision };

export function watchStart(call: Call): WatchStart {
  const { query } = call.exchange;
  const { dialect } = call.services;
  const text = query.get('resourceVersion') ?? '';
  const initial = query.has('sendInitialEvents') ? queryFlag(query, 'sendInitialEvents') : undefined;
  checkNumericOptions(query);
  // compat: an old path does not say in its query that it asks for a watch, and has the rules of a list
  if (call.exchange.info.verbInPath !== '' && !queryFlag(query, 'watch')) checkListOptions(query, dialect);
  else checkInitialEvents(call, initial);
  const revision = text === '' || text === '0' ? undefined : needRevision(text, dialect);
  const recent: ReadAt = { mode: text === '0' ? 'any' : 'latest' };
  if (initial === true) {
    return {
      kind: 'state',
      markEnd: true,
      fresh: revision === undefined ? recent : { mode: 'notOlderThan', revision },
    };
  }
  // a revision that is still to come is waited for in the stream
  if (revision !== undefined) return { kind: 'after', fresh: { mode: 'any' }, revision };
  // compat: a client that wants bookmarks is told where the state ends, also without asking for initial events
  const markEnd = dialect.rules.stateEnd === 'marked';
  return initial === false ? { kind: 'now', fresh: recent } : { kind: 'state', markEnd, fresh: recent };
}

/** sendInitialEvents goes with resourceVersionMatch=NotOlderThan, and only with that. */
function checkInitialEvents({ exchange: { query }, services: { dialect } }: Call, initial: boolean | undefined): void {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  // a watch from any state is one that asks for it
  const asks = initial === undefined && match === '' && (version === '' || version === '0');
  const options = asks ? ({ match: 'NotOlderThan', initial: true } as const) : { match, initial };
  refuseListOptions(initialEventsErrors(options.match, options.initial, query.get('continue') ?? ''), dialect);
}

function initialEventsErrors(match: string, initial: boolean | undefined, token: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (detail: string) => errors.push(forbiddenField('resourceVersionMatch', detail));
  if (initial !== undefined && match !== 'NotOlderThan')
    forbid('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  if (match === '') return errors;
  if (initial === undefined) forbid('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  if (match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
  if (token !== '') forbid('resourceVersionMatch is forbidden when continue is provided');
  return errors;
}
