// Listing: from the cache at a recent revision, from the store's history at an exact one.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { ReadAt, Revision } from '../meta/revision.ts';
import { expired, tooLargeResourceVersion } from '../meta/status.ts';
import { CompactedError, FutureRevisionError } from '../storage/store.ts';
import { type ContinueToken, encodeContinue } from './continue-token.ts';
import type { Registry } from './registry.ts';
import { onlyName, type Selection, selects, selectsAll } from './selection.ts';
import type { StoredObject } from './stored-object.ts';

export interface ListRequest {
  readonly selection: Selection;
  readonly at: ReadAt;
  /** Undefined for the whole list. */
  readonly limit?: number | undefined;
  readonly continue?: ContinueToken | undefined;
}

export interface ListPage {
  readonly objects: readonly StoredObject[];
  readonly revision: Revision;
  /** Set when more follow. */
  readonly continue?: string;
  /** How many follow; not counted under a selector. */
  readonly remaining?: number;
}

export function list(registry: Registry, request: ListRequest): MaybePromise<ListPage> {
  if (request.continue !== undefined) return listAt(registry, request, request.continue.revision);
  if (request.at.mode === 'exact') return listAt(registry, request, request.at.revision);
  return andThen(registry.fresh(request.at), () => listCached(registry, request));
}

function listCached(registry: Registry, request: ListRequest): ListPage {
  const { cache } = registry;
  const prefix = registry.scope(request.selection.namespace);
  const limit = request.limit ?? Number.POSITIVE_INFINITY;
  const objects: StoredObject[] = [];
  let more = false;
  for (const stored of candidates(registry, request.selection, prefix)) {
    if (!selects(request.selection, stored)) continue;
    if (objects.length >= limit) {
      more = true;
      break;
    }
    objects.push(stored);
  }
  const remaining = more ? cache.count(prefix) - objects.length : 0;
  return page(request, { objects, revision: cache.revision, more, remaining, prefix });
}

function candidates(registry: Registry, selection: Selection, prefix: string): Iterable<StoredObject> {
  const name = onlyName(registry.definition, selection);
  if (name === undefined) return registry.cache.range(prefix);
  const one = registry.cache.get(prefix + name);
  return one === undefined ? [] : [one];
}

async function listAt(registry: Registry, request: ListRequest, at: Revision): Promise<ListPage> {
  await registry.fresh({ mode: 'exact', revision: at });
  const prefix = registry.scope(request.selection.namespace);
  const limit = request.limit ?? Number.POSITIVE_INFINITY;
  const objects: StoredObject[] = [];
  let after = request.continue === undefined ? undefined : prefix + request.continue.after;
  for (;;) {
    // under a selector a page of the store may hold too few matches: read on
    const found = await readHistory(registry, { prefix, at, limit: pageOf(request, limit), after }, request);
    let left = found.entries.length;
    for (const entry of found.entries) {
      if (objects.length >= limit) break;
      const stored = registry.materialize(entry);
      if (stored !== undefined && selects(request.selection, stored)) objects.push(stored);
      after = entry.key;
      left--;
    }
    const more = found.more || left > 0;
    if (!more || objects.length >= limit) {
      return page(request, { objects, revision: at, more, remaining: found.remaining ?? 0, prefix, after });
    }
  }
}

/** Under a selector few entries may match: more are read at a time than are wanted. */
function pageOf({ selection }: ListRequest, limit: number): number {
  return selectsAll(selection) ? limit : Math.max(limit, 500);
}

async function readHistory(
  registry: Registry,
  query: { prefix: string; at: Revision; limit: number; after: string | undefined },
  request: ListRequest,
) {
  const { prefix, at, limit, after } = query;
  const countRemaining = selectsAll(request.selection);
  try {
    return await registry.store.list({ prefix, at, limit, countRemaining, ...(after === undefined ? {} : { after }) });
  } catch (error) {
    if (error instanceof CompactedError) throw expired(expiredMessage(request));
    if (error instanceof FutureRevisionError) throw tooLargeResourceVersion(at, error.current);
    throw error;
  }
}

function expiredMessage(request: ListRequest): string {
  return request.continue === undefined
    ? 'The resourceVersion for the provided list is too old.'
    : 'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.';
}

interface Found {
  readonly objects: readonly StoredObject[];
  readonly revision: Revision;
  readonly more: boolean;
  readonly remaining: number;
  readonly prefix: string;
  /** The last key looked at, where that may differ from the last key found. */
  readonly after?: string | undefined;
}

function page(request: ListRequest, { objects, revision, more, remaining, prefix, after }: Found): ListPage {
  const last = after ?? objects.at(-1)?.key;
  if (!more || last === undefined) return { objects, revision };
  const token = encodeContinue({ revision, after: last.slice(prefix.length) });
  return { objects, revision, continue: token, ...(selectsAll(request.selection) ? { remaining } : {}) };
}
