// What OpenAPI says about each verb: its method, its name, its parameters, its body and its answers.

import type { QueryParameter } from '../../schema/subresource.ts';
import type { Verb } from '../../schema/verbs.ts';

export interface Parameter extends QueryParameter {
  readonly in: 'path' | 'query';
}

const query = (name: string, type: Parameter['type'], about: string): Parameter => ({ name, in: 'query', type, about });

const freshness = 'How fresh the answer has to be.';

const selectParameters = [
  query('resourceVersion', 'string', freshness),
  query('continue', 'string', 'Token of the page before.'),
  query('fieldSelector', 'string', 'Selects by fields.'),
  query('labelSelector', 'string', 'Selects by labels.'),
  query('limit', 'integer', 'Most items in a page.'),
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant.'),
  query('shardSelector', 'string', 'Which part of the objects; not in use.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch begins with the current state.'),
  query('timeoutSeconds', 'integer', 'How long a watch lasts.'),
];
const listParameters = [
  ...selectParameters,
  query('allowWatchBookmarks', 'boolean', 'Whether a watch may send bookmarks.'),
  query('watch', 'boolean', 'Watches instead of listing.'),
];
const writeParameters = [
  query('dryRun', 'string', 'All: run every stage but store nothing.'),
  query('fieldManager', 'string', 'Name of who makes the change.'),
  query('fieldValidation', 'string', 'What to do about unknown fields: Ignore, Warn or Strict.'),
];
const deleteParameters = [
  query('dryRun', 'string', 'All: run every stage but remove nothing.'),
  query('gracePeriodSeconds', 'integer', 'Seconds before the object is removed.'),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Removes an object that cannot be read, without looking at it.',
  ),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy.'),
  query('propagationPolicy', 'string', 'What happens to dependents.'),
];

/** Parameters that stand next to every operation of a path. */
export const commonParameters: readonly Parameter[] = [query('pretty', 'string', 'Whether to indent the answer.')];

/** What bodies and answers hold. */
export type Content = 'object' | 'list' | 'status' | 'deleteOptions' | 'patch' | 'watchEvent' | 'text';

export interface Operation {
  readonly method: string;
  /** The first word of its name. */
  readonly word: string;
  readonly action: string;
  readonly parameters: readonly Parameter[];
  readonly body?: Content;
  readonly answer: Content;
  readonly codes: readonly number[];
  /** Media types next to those of objects: of the frames of a stream. */
  readonly isStream?: true;
}

export const operations: Readonly<Partial<Record<Verb, Operation>>> = {
  get: { method: 'get', word: 'read', action: 'get', parameters: [], answer: 'object', codes: [200] },
  list: {
    method: 'get',
    word: 'list',
    action: 'list',
    parameters: listParameters,
    answer: 'list',
    codes: [200],
    isStream: true,
  },
  create: {
    method: 'post',
    word: 'create',
    action: 'post',
    parameters: writeParameters,
    body: 'object',
    answer: 'object',
    codes: [200, 201, 202],
  },
  update: {
    method: 'put',
    word: 'replace',
    action: 'put',
    parameters: writeParameters,
    body: 'object',
    answer: 'object',
    codes: [200, 201],
  },
  patch: {
    method: 'patch',
    word: 'patch',
    action: 'patch',
    parameters: [...writeParameters, query('force', 'boolean', 'Takes fields over from other managers.')],
    body: 'patch',
    answer: 'object',
    codes: [200, 201],
  },
  delete: {
    method: 'delete',
    word: 'delete',
    action: 'delete',
    parameters: deleteParameters,
    body: 'deleteOptions',
    answer: 'status',
    codes: [200, 202],
  },
  deletecollection: {
    method: 'delete',
    word: 'delete',
    action: 'deletecollection',
    parameters: [...selectParameters, ...deleteParameters],
    body: 'deleteOptions',
    answer: 'status',
    codes: [200],
  },
};

/** compat: what custom resources say of themselves: neither all parameters nor all answers that they have */
export const plainOperations: typeof operations = {
  ...operations,
  get: { ...(operations.get as Operation), parameters: [query('resourceVersion', 'string', freshness)] },
  patch: { ...(operations.patch as Operation), codes: [200] },
  deletecollection: {
    ...{ method: 'delete', word: 'delete', action: 'deletecollection' },
    ...{ parameters: listParameters, answer: 'status', codes: [200] },
  },
};

const streaming = { method: 'get', word: 'watch', answer: 'watchEvent', codes: [200], isStream: true } as const;

/** The older paths of watches. */
export const watchOperation: Operation = { ...streaming, action: 'watch', parameters: listParameters };
export const watchListOperation: Operation = { ...streaming, action: 'watchlist', parameters: listParameters };

/** Asks another server: as the verb says, and this server cannot tell for what. */
export function connectOperation({ method }: Operation, asked: readonly QueryParameter[]): Operation {
  return { method, word: 'connect', action: 'connect', parameters: inQuery(asked), answer: 'text', codes: [200] };
}

export const inQuery = (asked: readonly QueryParameter[]): readonly Parameter[] =>
  asked.map((parameter) => ({ ...parameter, in: 'query' }));
