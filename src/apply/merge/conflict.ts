// An apply that would change what others own: nothing happens, and the answer names every field and its owner.

import { type ApiError, fieldManagerConflict } from '../../meta/status.ts';
import { countPaths, type FieldSet, showPaths } from '../fields/field-set.ts';
import type { Manager } from './managers.ts';

export interface Conflict {
  readonly owner: Manager;
  readonly fields: FieldSet;
}

/** Thrown by an apply without force. */
export class ConflictError extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super('fields are owned by others');
    this.conflicts = conflicts;
  }
}

/** Fields of one owner that are named; more than any honest configuration conflicts in. */
const maxShown = 1000;

export function applyConflict(conflicts: readonly Conflict[]): ApiError {
  const groups: Group[] = [];
  let count = 0;
  for (const { owner, fields } of conflicts) {
    const paths = showPaths(fields, maxShown);
    groups.push({ owner: showOwner(owner), order: orderOf(owner), paths });
    count += countPaths(fields);
  }
  groups.sort((a, b) => (a.order < b.order ? -1 : 1));
  const causes = groups.flatMap(({ owner, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${owner}`, field })),
  );
  return fieldManagerConflict(messageOf(groups, count), causes);
}

interface Group {
  readonly owner: string;
  /** Owners are told in the order of these texts. */
  readonly order: string;
  readonly paths: readonly string[];
}

function messageOf(groups: readonly Group[], count: number): string {
  const [first] = groups;
  if (count === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${first.owner}: ${first.paths[0]}`;
  }
  const lines = groups.flatMap(({ owner, paths }) => [`conflicts with ${owner}:`, ...paths.map((path) => `- ${path}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
}

function showOwner({ manager, operation, apiVersion, subresource }: Manager): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${through}${version}`;
}

/** The manager as the JSON of an entry, by which the reference sorts. */
function orderOf({ manager, operation, apiVersion, subresource }: Manager): string {
  const version = operation === 'Update' ? { apiVersion } : {};
  return JSON.stringify({ manager, operation, ...version, ...(subresource === '' ? {} : { subresource }) });
}
