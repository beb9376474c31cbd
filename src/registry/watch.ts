// Watching: the state of a resource and the events after it, as one selection sees them.

import type { Revision } from '../meta/revision.ts';
import type { CacheEvent } from '../storage/cache/watch-cache.ts';
import type { Registry } from './registry.ts';
import { type Selection, selects, selectsAll } from './selection.ts';
import type { StoredObject } from './stored-object.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Shared by every watcher that sees the same change the same way, so that it is serialised once. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly stored: StoredObject;
}

export interface WatchListener {
  onEvents(events: readonly WatchEvent[]): void;
  /** Every event up to `revision` has been delivered. */
  onProgress(revision: Revision): void;
  onEnd(reason: 'gone' | 'closed'): void;
}

/** What there is now, to begin a watch with; go on with `follow` from `revision`. Call once the cache is fresh. */
export function currentState(
  registry: Registry,
  selection: Selection,
): { objects: StoredObject[]; revision: Revision } {
  const objects: StoredObject[] = [];
  for (const stored of registry.cache.range(registry.scope(selection.namespace))) {
    if (selects(selection, stored)) objects.push(stored);
  }
  return { objects, revision: registry.cache.revision };
}

/** Events after a revision. Call once the cache is started. */
export function follow(
  registry: Registry,
  selection: Selection,
  after: Revision,
  listener: WatchListener,
): { close(): void } {
  const see = viewOf(registry, selection);
  // a watch may start at a revision that is still to come, and nothing is told twice
  let last = after;
  const subscription = registry.cache.subscribe(after, {
    onEvents(changes) {
      const events: WatchEvent[] = [];
      for (const change of changes) {
        if (change.revision <= last) continue;
        last = change.revision;
        const event = see(change);
        if (event !== undefined) events.push(event);
      }
      if (events.length > 0) listener.onEvents(events);
    },
    onProgress: (revision) => listener.onProgress(revision),
    onEnd: (reason) => listener.onEnd(reason),
  });
  return subscription;
}

/** How a selection sees a change: an object that starts or stops matching is added or deleted. */
function viewOf(
  registry: Registry,
  selection: Selection,
): (change: CacheEvent<StoredObject>) => WatchEvent | undefined {
  const prefix = registry.scope(selection.namespace);
  const all = selectsAll(selection);
  const matches = (stored: StoredObject | undefined) => stored !== undefined && (all || selects(selection, stored));
  return (change) => {
    const key = (change.current ?? change.previous)?.key ?? '';
    if (!key.startsWith(prefix)) return undefined;
    const is = matches(change.current);
    const was = matches(change.previous);
    if (!is && !was) return undefined;
    return shared(registry, change, is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED');
  };
}

const events = new WeakMap<CacheEvent<StoredObject>, Partial<Record<WatchEventType, WatchEvent>>>();

function shared(registry: Registry, change: CacheEvent<StoredObject>, type: WatchEventType): WatchEvent {
  let known = events.get(change);
  if (known === undefined) {
    known = {};
    events.set(change, known);
  }
  known[type] ??= { type, stored: type === 'DELETED' ? lastState(registry, change) : (change.current as StoredObject) };
  return known[type];
}

/** A deleted object is shown as it last was, with the revision of its deletion. */
function lastState(registry: Registry, { previous, revision }: CacheEvent<StoredObject>): StoredObject {
  const last = previous as StoredObject;
  const value = registry.encode(last.parse());
  return registry.stored({ key: last.key, value, revision });
}
