// A list as the server's own table, kept up to date by a watch. Events are collected and shown once a frame.

import { signal } from '@preact/signals';
import { getJson, isAbort, messageOf, RequestFailure } from '../api.ts';
import { watchLines } from '../watch-stream.ts';
import { type Cell, type Column, type Row, TableRows } from './table-rows.ts';

interface RowObject {
  readonly metadata: {
    readonly uid?: string;
    readonly name?: string;
    readonly namespace?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly resourceVersion?: string;
  };
}

interface Table {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly columnDefinitions?: readonly Column[] | null;
  readonly rows?: readonly { readonly cells: readonly Cell[]; readonly object: RowObject }[] | null;
  /** Of a Status, in an event of an error. */
  readonly code?: number;
  readonly message?: string;
}

export type TableState = 'loading' | 'live' | 'past' | 'waiting' | 'failed';

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const pageSize = 1000;
const firstPauseMs = 500;
const longestPauseMs = 10_000;

export class LiveTable {
  readonly rows = new TableRows();
  readonly state = signal<TableState>('loading');
  readonly problem = signal('');
  /** Grows when there is something new to show. */
  readonly version = signal(0);
  readonly #path: string;
  readonly #query: string;
  readonly #at: string;
  readonly #abort = new AbortController();
  #changes: (() => void)[] = [];
  #frame = 0;

  /** `query` holds the selectors. A list `at` a revision stays as it was then. */
  constructor(path: string, query: URLSearchParams, at = '') {
    this.#at = at;
    this.#path = path;
    this.#query = query.toString();
    void this.#follow();
  }

  close(): void {
    this.#abort.abort();
    cancelAnimationFrame(this.#frame);
  }

  /** Something of the view has changed, such as its order. */
  touch(): void {
    this.version.value++;
  }

  async #follow(): Promise<void> {
    let pauseMs = firstPauseMs;
    let revision: string | undefined;
    while (!this.#abort.signal.aborted) {
      try {
        revision ??= await this.#list();
        this.state.value = this.#at === '' ? 'live' : 'past';
        this.problem.value = '';
        if (this.#at !== '') return;
        revision = await this.#watch(revision);
        pauseMs = firstPauseMs;
      } catch (error) {
        if (isAbort(error)) return;
        if (isFinal(error) || this.#at !== '') {
          this.state.value = 'failed';
          this.problem.value = messageOf(error);
          return;
        }
        this.state.value = 'waiting';
        this.problem.value = messageOf(error);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
        if (error instanceof RequestFailure && error.status === 410) revision = undefined;
      }
    }
  }

  /** All pages of the list; gives its revision. */
  async #list(): Promise<string> {
    const { signal: ends } = this.#abort;
    let next = '';
    let isFirst = true;
    for (;;) {
      const page = new URLSearchParams(this.#query);
      page.set('limit', String(pageSize));
      if (next !== '') page.set('continue', next);
      else if (this.#at !== '') {
        page.set('resourceVersion', this.#at);
        page.set('resourceVersionMatch', 'Exact');
      }
      const table = await getJson<Table>(`${this.#path}?${page}`, { accept, signal: ends });
      if (isFirst) this.rows.clear();
      isFirst = false;
      if (table.columnDefinitions) this.rows.columns = table.columnDefinitions;
      this.rows.addAll(rowsOf(table));
      this.touch();
      next = table.metadata?.continue ?? '';
      if (next === '') return table.metadata?.resourceVersion ?? '';
    }
  }

  /** Ends with the watch; gives the revision to go on from. */
  async #watch(from: string): Promise<string> {
    let revision = from;
    const query = new URLSearchParams(this.#query);
    for (const [name, value] of [
      ['watch', '1'],
      ['allowWatchBookmarks', 'true'],
      ['resourceVersion', from],
    ] as const)
      query.set(name, value);
    for await (const { type, object } of watchLines<Table>(`${this.#path}?${query}`, accept, this.#abort.signal)) {
      if (type === 'ERROR') throw new RequestFailure(object.code ?? 500, object);
      revision = object.rows?.[0]?.object.metadata.resourceVersion ?? object.metadata?.resourceVersion ?? revision;
      if (type === 'BOOKMARK') continue;
      for (const row of rowsOf(object))
        this.#change(() => (type === 'DELETED' ? this.rows.remove(row.uid) : this.rows.put(row)));
    }
    return revision;
  }

  #change(change: () => void): void {
    this.#changes.push(change);
    if (this.#changes.length > 1) return;
    this.#frame = requestAnimationFrame(() => {
      const changes = this.#changes;
      this.#changes = [];
      for (const one of changes) one();
      this.touch();
    });
  }
}

/** What another try would not change. */
const isFinal = (error: unknown) =>
  error instanceof RequestFailure && [400, 401, 403, 404, 405, 422].includes(error.status);

function rowsOf({ rows }: Table): readonly Row[] {
  return (rows ?? []).map(({ cells, object: { metadata } }) => ({
    uid: metadata.uid ?? `${metadata.namespace}/${metadata.name}`,
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    createdAt: Date.parse(metadata.creationTimestamp ?? ''),
    isDeleting: metadata.deletionTimestamp !== undefined,
    cells,
  }));
}
