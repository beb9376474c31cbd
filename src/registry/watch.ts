// Watching: the state of a resource and the events after it, as one selection sees them.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { withMetaField } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';
import type { CacheEvent } from '../storage/cache/watch-cache.ts';
import { candidates, selected } from './list.ts';
import type { Registry } from './registry.ts';
import { type Selection, selects, selectsAll } from './selection.ts';
import { StoredObject } from './stored-object.ts';

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
  known[type] ??= { type, stored: type === 'DELETED' ? lastState(change) : (change.current as StoredObject) };
  return known[type];
}

/** A deleted object is shown as it last was, with the revision of its deletion. */
function lastState({ previous, revision }: CacheEvent<StoredObject>): StoredObject {
  const last = previous as StoredObject;
  const object = withMetaField(last.parse(), 'resourceVersion', String(revision));
  return StoredObject.made(last.definition, { key: last.key, revision }, object);
}
