// Listing: from the cache, as things are or were a moment ago; from the store's history when that is not enough.

import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { forEachInTurns, yieldAsRequest } from '../base/time/turns.ts';
import type { ReadAt, Revision } from '../meta/revision.ts';
import { expired, tooLargeResourceVersion } from '../meta/status.ts';
import type { Snapshot } from '../storage/cache/watch-cache.ts';
import { CompactedError, FutureRevisionError, type ListResult, type StoredEntry } from '../storage/store.ts';
import { type ContinueToken, encodeContinue } from './continue-token.ts';
import type { Registry } from './registry.ts';
import { indexTerm, lastingTerm, onlyName, otherVersion, type Selection, selects, selectsAll } from './selection.ts';
import { translateStoreErrors } from './store-errors.ts';
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
  /** Reads what comes after `objects`, slice by slice, where a list is read from the store and too long to be held at once. */
  readonly rest?: () => AsyncIterable<readonly StoredObject[]>;
  readonly revision: Revision;
  /** Set when more follow. */
  readonly continue?: string;
  /** How many follow; not counted under a selector. */
  readonly remaining?: number;
}

/** All objects of a page, whether they are in memory or not. */
export async function* pagesOf({ objects, rest }: ListPage): AsyncIterable<readonly StoredObject[]> {
  yield objects;
  if (rest !== undefined) yield* rest();
}

/** The same, a few at a time: other requests are served in between. */
export async function* slicesOf(page: ListPage): AsyncIterable<readonly StoredObject[]> {
  for await (const objects of pagesOf(page)) {
    for (let from = 0; from < objects.length; ) {
      const slice = sliceAt(objects, from, written);
      yield slice;
      from += slice.length;
      await yieldAsRequest();
    }
  }
}

export function list(registry: Registry, request: ListRequest): MaybePromise<ListPage> {
  const exact = exactRevision(request);
  if (exact !== undefined) return listExact(registry, request, exact);
  return andThen(registry.caughtUp(request.at), (isFresh) => {
    if (request.at.mode === 'latest') registry.kind.counts.latest[isFresh ? 'cache' : 'store']++;
    return isFresh
      ? listSnapshot(registry, request, registry.cache.present())
      : listStore(registry, request, undefined);
  });
}

function exactRevision({ at, continue: token }: ListRequest): Revision | undefined {
  if (token !== undefined) return token.revision;
  return at.mode === 'exact' ? at.revision : undefined;
}

async function listExact(registry: Registry, request: ListRequest, at: Revision): Promise<ListPage> {
  await registry.caughtUp({ mode: 'exact', revision: at });
  // what is no longer kept is refused even while the cache remembers it: how far back one can go does not depend on luck
  await readStore(registry, request, { at, limit: 1, countRemaining: false });
  const past = registry.cache.past(at);
  return past === undefined ? listStore(registry, request, at) : listSnapshot(registry, request, past);
}

/** What a list is about, as keys. */
function rangeOf(registry: Registry, { selection, continue: token }: ListRequest): { prefix: string; after?: string } {
  const prefix = registry.scope(selection.namespace);
  return token === undefined ? { prefix } : { prefix, after: prefix + token.after };
}

function listSnapshot(
  registry: Registry,
  request: ListRequest,
  snapshot: Snapshot<StoredObject>,
): MaybePromise<ListPage> {
  const { prefix, after } = rangeOf(registry, request);
  const { selection, limit } = request;
  const { revision } = snapshot;
  if (!selectsAll(selection)) {
    const { objects: looked, index } = lookUp(registry, selection, snapshot, { prefix, after });
    const found = selected(registry, selection, looked, limit);
    // compat: a full page of a selection is followed by another as long as there is anything left to look at
    const end = limit === undefined || isOne(registry, selection) ? undefined : snapshot.last(prefix);
    return andThen(found, ({ objects }) => {
      registry.kind.counts.listed(index, looked.length, objects.length);
      const more = objects.length === limit && isBefore(objects.at(-1), end);
      return pageOf(registry, request, { objects, revision, prefix, more });
    });
  }
  const range = snapshot.range(prefix, after, limit);
  registry.kind.counts.listed('', range.length, range.length);
  const last = range.at(-1)?.key;
  const remaining = limit === undefined || last === undefined ? 0 : snapshot.count(prefix, last);
  return andThen(registry.view.ofAll(range), (objects) =>
    pageOf(registry, request, { objects, revision, prefix, more: remaining > 0, remaining }),
  );
}

const isOne = (registry: Registry, selection: Selection) => onlyName(registry.definition, selection) !== undefined;

const isBefore = (stored: StoredObject | undefined, end: string | undefined) =>
  stored !== undefined && end !== undefined && stored.key < end;

interface Range {
  readonly prefix: string;
  readonly after?: string | undefined;
}

/** Everything that may match a selection, found by name or by an index where that is possible. */
export function candidates(
  registry: Registry,
  selection: Selection,
  snapshot: Snapshot<StoredObject>,
  range: Range,
): readonly StoredObject[] {
  return lookUp(registry, selection, snapshot, range).objects;
}

/** The same with the index that was used; empty for none. */
function lookUp(registry: Registry, selection: Selection, snapshot: Snapshot<StoredObject>, { prefix, after }: Range) {
  const isPresent = snapshot.revision === registry.cache.revision;
  const named = isPresent ? oneKey(registry, selection, prefix) : undefined;
  const indexed = isPresent && named === undefined ? indexedKeys(registry, selection) : undefined;
  const keys = named ?? indexed;
  const index = indexed === undefined ? '' : (indexTermOf(registry, selection)?.index ?? '');
  if (keys === undefined) return { objects: snapshot.range(prefix, after), index };
  const wanted = keys.filter((key) => key.startsWith(prefix) && (after === undefined || key > after)).sort();
  return { objects: wanted.flatMap((key) => registry.cache.get(key) ?? []), index };
}

function oneKey(registry: Registry, selection: Selection, prefix: string): string[] | undefined {
  const name = onlyName(registry.definition, selection);
  return name === undefined ? undefined : [prefix + name];
}

/** Below this, looking at everything is as fast. */
const worthAnIndex = 500;
/** An index that finds a larger share than this saves nothing. */
const usefulShare = 0.25;

/** Below `worthAnIndex` only an index that is there anyway is used. */
function indexTermOf({ cache, definition }: Pick<Registry, 'cache' | 'definition'>, selection: Selection) {
  return lastingTerm(definition, selection) ?? (cache.size < worthAnIndex ? undefined : indexTerm(selection));
}

function indexedKeys({ cache, definition, isStoredVersion }: Registry, selection: Selection): string[] | undefined {
  if (!isStoredVersion) return undefined;
  const term = indexTermOf({ cache, definition }, selection);
  if (term === undefined) return undefined;
  const sets = [...term.values, otherVersion].map((value) => cache.find(term.index, value));
  const total = sets.reduce((sum, set) => sum + (set?.size ?? Number.POSITIVE_INFINITY), 0);
  return total > cache.size * usefulShare ? undefined : sets.flatMap((set) => [...(set ?? [])]);
}

/** So many objects, or bytes of them, are looked at before other requests may be served. */
const looked = { objects: 500, bytes: 1024 * 1024 };
/** And so many are written: in some forms that takes much longer. */
const written = { objects: 32, bytes: 64 * 1024 };

function sliceAt(objects: readonly StoredObject[], from: number, limits = looked): readonly StoredObject[] {
  let [end, bytes] = [from, 0];
  while (end < objects.length && end < from + limits.objects && bytes < limits.bytes)
    bytes += (objects[end++] as StoredObject).size;
  return objects.slice(from, end);
}

/** Those of the candidates that match, up to a limit. Looking at many is done in turns. */
export function selected(
  registry: Registry,
  selection: Selection,
  candidates: readonly StoredObject[],
  limit = Number.POSITIVE_INFINITY,
): MaybePromise<{ objects: readonly StoredObject[] }> {
  const found: StoredObject[] = [];
  const take = (objects: readonly StoredObject[]) => {
    for (const stored of objects) {
      if (found.length >= limit) return;
      if (selects(selection, stored)) found.push(stored);
    }
  };
  let from = 0;
  /** Looks at the next slice; true when there is more to look at. */
  const look = (): MaybePromise<boolean> => {
    const slice = sliceAt(candidates, from);
    from += slice.length;
    return andThen(registry.view.ofAll(slice), (objects) => {
      take(objects);
      return found.length < limit && from < candidates.length;
    });
  };
  const finish = async (first: MaybePromise<boolean>) => {
    for (let more = await first; more; ) {
      await yieldAsRequest();
      const looked = look();
      more = isPromise(looked) ? await looked : looked;
    }
    return { objects: found };
  };
  const first = look();
  return isPromise(first) || first ? finish(first) : { objects: found };
}

interface StoreQuery {
  readonly at: Revision | undefined;
  readonly limit: number;
  readonly countRemaining: boolean;
  readonly after?: string | undefined;
}

/** So many entries are read from the store at a time. */
const storeSlice = 500;

/** From the store itself, at a revision or as it is now. */
async function listStore(registry: Registry, request: ListRequest, at: Revision | undefined): Promise<ListPage> {
  return request.limit === undefined
    ? listAll(registry, request, at)
    : listLimited(registry, request, at, request.limit);
}

/** The first slice, and how to read the others: only one of them is in memory at a time. */
async function listAll(registry: Registry, request: ListRequest, at: Revision | undefined): Promise<ListPage> {
  const { after } = rangeOf(registry, request);
  const first = await readStore(registry, request, { at, limit: storeSlice, countRemaining: false, after });
  const { revision } = first;
  const objects = await matching(registry, request.selection, first);
  const last = first.entries.at(-1)?.key;
  if (!first.more || last === undefined) return { objects, revision };
  return { objects, revision, rest: () => slicesAfter(registry, request, { at: revision, after: last }) };
}

async function* slicesAfter(
  registry: Registry,
  request: ListRequest,
  from: { readonly at: Revision; readonly after: string },
): AsyncIterable<readonly StoredObject[]> {
  let after: string | undefined = from.after;
  while (after !== undefined) {
    const found = await readStore(registry, request, { at: from.at, limit: storeSlice, countRemaining: false, after });
    yield await matching(registry, request.selection, found);
    after = found.more ? found.entries.at(-1)?.key : undefined;
  }
}

async function listLimited(
  registry: Registry,
  request: ListRequest,
  at: Revision | undefined,
  limit: number,
): Promise<ListPage> {
  const { selection } = request;
  let { prefix, after } = rangeOf(registry, request);
  const objects: StoredObject[] = [];
  // under a selector few entries may match: more are read at a time than are wanted, and again until there are enough
  const countRemaining = selectsAll(selection);
  const slice = countRemaining ? limit : Math.max(limit, storeSlice);
  for (let revision = at; ; ) {
    const found = await readStore(registry, request, { at: revision, limit: slice, countRemaining, after });
    revision = found.revision;
    const { more, last } = await takeMatching(registry, selection, found, objects, limit);
    after = last ?? after;
    if (!more || objects.length >= limit) {
      registry.kind.counts.storeLists.returned += objects.length;
      return pageOf(registry, request, { objects, revision, prefix, more, after, remaining: found.remaining ?? 0 });
    }
  }
}

/** Adds what matches up to the limit; the last key looked at, and whether anything was left. */
async function takeMatching(
  registry: Registry,
  selection: Selection,
  { entries, more }: ListResult,
  objects: StoredObject[],
  limit: number,
): Promise<{ more: boolean; last: string | undefined }> {
  const wanted = await shown(registry, entries);
  let next = 0;
  for (const [index, entry] of entries.entries()) {
    if (objects.length >= limit) return { more: true, last: entries[index - 1]?.key };
    // entries that cannot be read are not among those shown
    if (wanted[next]?.key !== entry.key) continue;
    const stored = wanted[next++] as StoredObject;
    if (selects(selection, stored)) objects.push(stored);
  }
  return { more, last: entries.at(-1)?.key };
}

async function matching(
  registry: Registry,
  selection: Selection,
  { entries }: ListResult,
): Promise<readonly StoredObject[]> {
  const objects = await shown(registry, entries);
  const found = selectsAll(selection) ? objects : (await selected(registry, selection, objects)).objects;
  registry.kind.counts.storeLists.returned += found.length;
  return found;
}

/** The entries that can be read, in the version of the registry. */
async function shown({ kind, view }: Registry, entries: readonly StoredEntry[]): Promise<readonly StoredObject[]> {
  const objects: StoredObject[] = [];
  await forEachInTurns(entries, (entry) => {
    const stored = kind.materialize(entry);
    if (stored !== undefined) objects.push(stored);
  });
  return view.ofAll(objects);
}

async function readStore(registry: Registry, request: ListRequest, query: StoreQuery): Promise<ListResult> {
  const { at, limit, countRemaining, after } = query;
  const { prefix } = rangeOf(registry, request);
  const { counts } = registry.kind;
  const asked = {
    ...{ prefix, limit, countRemaining },
    ...(at === undefined ? {} : { at }),
    ...(after === undefined ? {} : { after }),
  };
  try {
    const found = await translateStoreErrors(() => counts.asking('list', () => registry.store.list(asked)));
    counts.storeLists.lists++;
    counts.storeLists.fetched += found.entries.length;
    return found;
  } catch (error) {
    if (error instanceof CompactedError) throw tooOld(registry, request);
    if (error instanceof FutureRevisionError && at !== undefined) throw tooLargeResourceVersion(at, error.current);
    throw error;
  }
}

/** A list that was being continued can go on without its snapshot: the error carries a token for that. */
function tooOld({ context }: Registry, { continue: token }: ListRequest): Error {
  if (token === undefined) return expired('The resourceVersion for the provided list is too old.');
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
      'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
      'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
      'deleted between the time the first chunk was returned and now may show up in the list.',
    { continue: encodeContinue({ revision: undefined, after: token.after }, context.dialect) },
  );
}

interface Found {
  readonly objects: readonly StoredObject[];
  readonly revision: Revision;
  readonly prefix: string;
  readonly more: boolean;
  readonly remaining?: number;
  /** The last key looked at, where that may differ from the last key found. */
  readonly after?: string | undefined;
}

function pageOf({ context }: Registry, request: ListRequest, found: Found): ListPage {
  const { objects, revision, more, remaining, prefix, after } = found;
  const last = after ?? objects.at(-1)?.key;
  if (!more || last === undefined) return { objects, revision };
  const token = encodeContinue({ revision, after: last.slice(prefix.length) }, context.dialect);
  return {
    objects,
    revision,
    continue: token,
    ...(selectsAll(request.selection) && remaining !== undefined ? { remaining } : {}),
  };
}
