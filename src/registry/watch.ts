// Watching: the state of a resource and the events after it, as one selection sees them.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { Revision } from '../meta/revision.ts';
import type { CacheEvent } from '../storage/cache/watch-cache.ts';
import { candidates, selected } from './list.ts';
import type { Registry } from './registry.ts';
import { type Selection, selects, selectsAll } from './selection.ts';
import type { StoredObject } from './stored-object.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Shared by every watcher that sees the same change the same way, so that it is serialised once. */
export interface WatchEvent {
  readonly type: WatchEventType;
  readonly stored: StoredObject;
}

/** What there is now, to begin a watch with; go on with the events after `revision`. Call once the cache is fresh. */
export function currentState(
  registry: Registry,
  selection: Selection,
): MaybePromise<{ objects: readonly StoredObject[]; revision: Revision }> {
  const snapshot = registry.cache.present();
  const { revision } = snapshot;
  const prefix = registry.scope(selection.namespace);
  if (selectsAll(selection))
    return andThen(registry.view.ofAll(snapshot.range(prefix)), (objects) => ({ objects, revision }));
  const found = selected(registry, selection, candidates(registry, selection, snapshot, { prefix }));
  return andThen(found, ({ objects }) => ({ objects, revision }));
}

/** How a selection sees a change whose objects are in the version of the registry: an object that starts or stops matching is added or deleted. */
export function viewOf(
  registry: Registry,
  selection: Selection,
): (change: CacheEvent<StoredObject>) => WatchEvent | undefined {
  const prefix = registry.scope(selection.namespace);
  const all = selectsAll(selection);
  const matches = (stored: StoredObject | undefined) => stored !== undefined && (all || selects(selection, stored));
  return (change) => {
    if (!change.key.startsWith(prefix)) return undefined;
    const is = matches(change.current);
    const was = matches(change.previous);
    if (!is && !was) return undefined;
    return shared(change, is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED');
  };
}

const events = new WeakMap<CacheEvent<StoredObject>, Partial<Record<WatchEventType, WatchEvent>>>();

function shared(change: CacheEvent<StoredObject>, type: WatchEventType): WatchEvent {
  let known = events.get(change);
  if (known === undefined) {
    known = {};
    events.set(change, known);
  }
  // a deleted object is shown as it last was, with the revision of its deletion
  const { current, previous, revision } = change;
  known[type] ??= { type, stored: type === 'DELETED' ? seen(previous).at(revision) : seen(current) };
  return known[type];
}

/** An object that a selection matched is there. */
const seen = (stored: StoredObject | undefined) => stored as StoredObject;
