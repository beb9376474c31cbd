// Writes that a store still remembers, newest first, in bounded amounts.

import type { Exchange } from '../meta/exchange.ts';
import { type Revision, revision } from '../meta/revision.ts';
import { expired, tooManyRequests } from '../meta/status.ts';
import { CompactedError, type Store, type StoreEvent, type StoreWatch } from '../storage/store.ts';

/** How much of the history one question reads, and keeps in memory at a time. */
const replayLimits = { revisions: 50_000, bytes: 8 * 1024 * 1024, parallel: 4 } as const;

interface ReplayQuery {
  /** Keys that begin with it; ends with a separator unless `isOne` filters them. */
  readonly prefix: string;
  isWanted(key: string): boolean;
  /** Only writes before this revision. */
  readonly before: Revision | undefined;
  readonly most: number;
}

interface Replayed {
  /** The newest first. */
  readonly events: readonly StoreEvent[];
  /** The newest revision of the store. */
  readonly newest: Revision;
  /** The history of the store begins after this revision. */
  readonly oldest: Revision;
  /** Where to go on: writes before this revision were not read. Undefined when all were. */
  readonly next: Revision | undefined;
}

type Life = Pick<Exchange, 'onEnd' | 'offEnd' | 'throwIfEnded'>;

let running = 0;

/** Throws a 429 while many others read the history. */
export async function replay(store: Store, query: ReplayQuery, life: Life): Promise<Replayed> {
  if (running >= replayLimits.parallel) throw tooManyRequests(1);
  running++;
  try {
    return await read(store, query, life);
  } finally {
    running--;
  }
}

async function read(store: Store, query: ReplayQuery, life: Life): Promise<Replayed> {
  const newest = await store.currentRevision();
  const last = revision(Math.min(newest, (query.before ?? newest + 1) - 1));
  const first = revision(Math.max(1, last - replayLimits.revisions));
  const after = await readableFrom(store, query.prefix, first, last);
  const recent = new RecentEvents(query);
  if (after < last) await readUpTo(store, query.prefix, { after, last }, recent, life);
  const [oldestKept] = recent.events;
  const isAtBegin = after === 1 || after > first;
  const next = recent.isCut ? oldestKept?.revision : isAtBegin ? undefined : revision(after + 1);
  return { events: [...recent.events].reverse(), newest, oldest: after, next };
}

/** The first revision from `first` on whose state the store can still show. */
async function readableFrom(store: Store, prefix: string, first: Revision, last: Revision): Promise<Revision> {
  let at = first;
  while (at < last) {
    try {
      await store.list({ prefix, limit: 1, at });
      return at;
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      // a store on another server does not name the revision
      at = revision(Math.min(last, error.compacted > at ? error.compacted : at + Math.ceil((last - at) / 2)));
    }
  }
  return at;
}

/** The newest events, as many as fit. */
class RecentEvents {
  readonly #query: ReplayQuery;
  #events: StoreEvent[] = [];
  #bytes = 0;
  isCut = false;

  constructor(query: ReplayQuery) {
    this.#query = query;
  }

  get events(): readonly StoreEvent[] {
    return this.#events;
  }

  add(event: StoreEvent): void {
    if (!this.#query.isWanted(event.key)) return;
    this.#events.push(event);
    this.#bytes += event.value?.length ?? 0;
    while (this.#events.length > this.#query.most || (this.#bytes > replayLimits.bytes && this.#events.length > 1)) {
      this.#bytes -= this.#events.shift()?.value?.length ?? 0;
      this.isCut = true;
    }
  }
}

function readUpTo(
  store: Store,
  prefix: string,
  { after, last }: { readonly after: Revision; readonly last: Revision },
  recent: RecentEvents,
  life: Life,
): Promise<void> {
  life.throwIfEnded();
  return new Promise((resolve, reject) => {
    let watch: StoreWatch | undefined;
    let isOver = false;
    const listener = { onEnded: (why: Error) => end(why) };
    const end = (problem?: Error) => {
      if (isOver) return;
      isOver = true;
      life.offEnd(listener);
      // a store may report before it has returned the watch
      setImmediate(() => watch?.close());
      if (problem === undefined) resolve();
      else reject(problem);
    };
    life.onEnd(listener);
    watch = store.watch(
      { prefix, after },
      {
        onEvents(events) {
          for (const event of events) {
            if (isOver || event.revision > last) return end();
            recent.add(event);
          }
        },
        onProgress: (reached) => reached >= last && end(),
        onEnd: (reason) =>
          end(reason instanceof Error ? reason : expired('the history was compacted while it was read')),
      },
    );
    watch.requestProgress?.(last);
  });
}
