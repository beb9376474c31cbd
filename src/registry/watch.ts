// Watching: the events of a resource as one selection sees them.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { ReadAt, Revision } from '../meta/revision.ts';
import type { CacheEvent } from '../storage/cache/watch-cache.ts';
import type { Registry } from './registry.ts';
import { type Selection, selects, selectsAll } from './selection.ts';
import { StoredObject } from './stored-object.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Shared by every watcher that sees the same change the same way, so that it is serialised once. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly stored: StoredObject;
}

export interface WatchRequest {
  readonly selection: Selection;
  /** Where to begin: from a state, shown as ADDED events, or after an exact revision. */
  readonly start:
    | { readonly kind: 'state'; readonly at: ReadAt }
    | { readonly kind: 'after'; readonly revision: Revision };
}

export interface WatchListener {
  onEvents(events: readonly WatchEvent[]): void;
  /** The initial state has been sent; it shows this revision. */
  onInitialState?(revision: Revision): void;
  onProgress?(revision: Revision): void;
  onEnd(reason: 'gone' | 'closed'): void;
}

export function watch(
  registry: Registry,
  request: WatchRequest,
  listener: WatchListener,
): MaybePromise<{ close(): void }> {
  const { start } = request;
  if (start.kind === 'after') {
    return andThen(registry.cache.started(), () => subscribe(registry, request, start.revision, listener));
  }
  return andThen(registry.fresh(start.at), () => {
    const revision = registry.cache.revision;
    const state = initialState(registry, request.selection);
    if (state.length > 0) listener.onEvents(state);
    listener.onInitialState?.(revision);
    return subscribe(registry, request, revision, listener);
  });
}

function initialState(registry: Registry, selection: Selection): WatchEvent[] {
  const state: WatchEvent[] = [];
  for (const stored of registry.cache.range(registry.scope(selection.namespace))) {
    if (selects(selection, stored)) state.push(sharedState(stored));
  }
  return state;
}

function subscribe(
  registry: Registry,
  { selection }: WatchRequest,
  after: Revision,
  listener: WatchListener,
): { close(): void } {
  const see = viewOf(registry, selection);
  return registry.cache.subscribe(after, {
    onEvents(changes) {
      const events: WatchEvent[] = [];
      for (const change of changes) {
        // a watch may start at a revision that is still to come
        const event = change.revision > after ? see(change) : undefined;
        if (event !== undefined) events.push(event);
      }
      if (events.length > 0) listener.onEvents(events);
    },
    onProgress: (revision) => listener.onProgress?.(revision),
    onEnd: (reason) => listener.onEnd(reason),
  });
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
const states = new WeakMap<StoredObject, WatchEvent>();

function shared(registry: Registry, change: CacheEvent<StoredObject>, type: WatchEventType): WatchEvent {
  let known = events.get(change);
  if (known === undefined) {
    known = {};
    events.set(change, known);
  }
  known[type] ??= { type, stored: type === 'DELETED' ? lastState(registry, change) : (change.current as StoredObject) };
  return known[type];
}

function sharedState(stored: StoredObject): WatchEvent {
  let event = states.get(stored);
  if (event === undefined) {
    event = { type: 'ADDED', stored };
    states.set(stored, event);
  }
  return event;
}

/** A deleted object is shown as it last was, with the revision of its deletion. */
function lastState(registry: Registry, { previous, revision }: CacheEvent<StoredObject>): StoredObject {
  const last = previous as StoredObject;
  const value = registry.encode(last.parse());
  return new StoredObject(registry.definition, { key: last.key, value, revision });
}
