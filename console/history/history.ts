// What the server remembers of an object or a list.

import { getJson } from '../api.ts';
import type { Kind } from '../discovery.ts';

export type HistoryObject = Readonly<Record<string, unknown>>;

export interface HistoryRow {
  readonly revision: number;
  readonly verb: 'create' | 'update' | 'apply' | 'delete';
  readonly namespace: string;
  readonly name: string;
  readonly writer?: {
    readonly manager: string;
    readonly operation: string;
    readonly subresource?: string;
    readonly time?: string;
  };
  readonly changes: readonly string[];
  readonly object?: HistoryObject;
}

export interface History {
  readonly rows: readonly HistoryRow[];
  /** The object before the oldest row. */
  readonly base?: HistoryObject;
  readonly isConfidential: boolean;
  readonly oldest: number;
  readonly next?: number;
}

export function readHistory(
  { group, version, plural: resource }: Kind,
  place: { readonly namespace: string; readonly name?: string },
  before?: number,
): Promise<History> {
  const query = new URLSearchParams({ group, version, resource, ...place });
  if (before !== undefined) query.set('before', String(before));
  return getJson<History>(`/debug/keelson/history?${query}`);
}

/** Two pages as one. */
export const joined = (newer: History, older: History): History => ({
  ...older,
  rows: [...newer.rows, ...older.rows],
});

/** Times are recorded with the manager, which a deletion does not have. */
export const timeText = ({ writer }: HistoryRow): string => {
  const time = writer?.time === undefined ? undefined : new Date(writer.time);
  return time === undefined ? '' : time.toLocaleTimeString('en-GB');
};

export const writerText = ({ writer }: HistoryRow): string =>
  writer === undefined ? '' : `${writer.manager}${writer.subresource === undefined ? '' : ` (${writer.subresource})`}`;
