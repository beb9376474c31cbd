// All watches of a resource that select the same objects in the same form: each event is looked at once for all of
// them, encoded once, and the same bytes are written to each.

import { InOrder } from '../../base/in-order.ts';
import { andThen, isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { forEachInTurns } from '../../base/time/turns.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { Revision } from '../../meta/revision.ts';
import { ApiError, expired, unexpectedError } from '../../meta/status.ts';
import type { Registry } from '../../registry/registry.ts';
import { isSelectable, lastingTerm, type Selection } from '../../registry/selection.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { viewOf } from '../../registry/watch.ts';
import { WatchCounts } from '../../registry/watch-counts.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { CacheEnd, CacheEvent, CacheListener } from '../../storage/cache/watch-cache.ts';
import type { Shape } from '../shape.ts';
import type { Framing } from './watch-frames.ts';
import { WatchFrames } from './watch-frames.ts';

type Change = CacheEvent<StoredObject>;

/** Why a watch ends: its history is gone, the server says no more, or an error that the client is told. */
export type WatchEnd = 'gone' | 'closed' | ApiError;

/** One watch, as the shared watch sees it. */
export interface Member {
  /** It wants what comes after this revision. */
  after: Revision;
  /** Its next event has to say what the columns of the table are. */
  readonly wantsColumns: boolean;
  deliver(chunk: Uint8Array): void;
  /** What it missed has been delivered; from now on it gets what happens. */
  onCaughtUp(): void;
  onWatchEnd(reason: WatchEnd): void;
}

const open = new WeakMap<Registry, Map<string, SharedWatch>>();

export interface WatchQuery {
  readonly registry: Registry;
  readonly selection: Selection;
  readonly shape: Shape;
  readonly framing: Framing;
}

/** The one that others with the same wishes use already, or a new one; to be released by each who asked for it. */
export function sharedWatchFor(query: WatchQuery): SharedWatch {
  const frames = new WatchFrames(query.shape, query.framing);
  const key = JSON.stringify([formatApiVersion(query.shape.definition), frames.key, query.selection]);
  const known = watchesOf(query.registry);
  const watch = known.get(key) ?? new SharedWatch(key, query, frames);
  known.set(key, watch);
  watch.users++;
  return watch;
}

/** The shared watches of a resource that are in use. */
export function openSharedWatches(registry: Registry): readonly SharedWatch[] {
  return [...(open.get(registry)?.values() ?? [])];
}

function watchesOf(registry: Registry): Map<string, SharedWatch> {
  let known = open.get(registry);
  if (known === undefined) {
    known = new Map();
    open.set(registry, known);
  }
  return known;
}

export class SharedWatch implements CacheListener<StoredObject> {
  readonly selection: Selection;
  readonly #key: string;
  readonly #query: WatchQuery;
  readonly #members = new Set<Member>();
  #frames: WatchFrames;
  #registry: Registry;
  #see: ReturnType<typeof viewOf>;
  #retirement: { close(): void };
  #subscription: { close(): void } | undefined;
  /** Events wait for those before them that are still being converted or encoded. */
  readonly #queue = new InOrder((error) => this.#endAll(asApiError(error)));
  /** Bytes of the frames that were rendered last. */
  #sizes: readonly number[] = [];
  /** Watches that have this one, whether they are members yet or not. */
  users = 0;

  constructor(key: string, query: WatchQuery, frames: WatchFrames) {
    this.#key = key;
    this.#query = query;
    this.selection = query.selection;
    this.#frames = frames;
    this.#registry = query.registry;
    this.#see = viewOf(query.registry, query.selection);
    this.#retirement = query.registry.onRetired((successor) => this.#onRetired(successor));
  }

  get registry(): Registry {
    return this.#registry;
  }

  /** Those that follow: without watches that are still being sent what they missed. */
  get members(): Iterable<Member> {
    return this.#members;
  }

  get frames(): WatchFrames {
    return this.#frames;
  }

  /** The version that its watches see. */
  get definition(): ResourceDefinition {
    return this.#registry.definition;
  }

  /** Delivers what the member has missed, then everything that happens. What is returned stops the former. */
  join(member: Member): { close(): void } {
    let isStopped = false;
    /** Conversions may take their time, and the member may be gone meanwhile. */
    const inTurn = (work: () => MaybePromise<void>) => this.#queue.run(() => (isStopped ? undefined : work()));
    const replay = this.#registry.cache.replay(member.after, {
      onEvents: (changes) => inTurn(() => this.#deliverMissed(member, changes)),
      onCaughtUp: () => {
        inTurn(() => {
          this.#members.add(member);
          member.onCaughtUp();
        });
        this.#listen();
      },
      onEnd: (reason) => inTurn(() => member.onWatchEnd(reason)),
    });
    return {
      close() {
        isStopped = true;
        replay.close();
      },
    };
  }

  /** To be called once by each who got this. */
  release(member: Member): void {
    this.#members.delete(member);
    if (--this.users > 0) return;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#retirement.close();
    const known = watchesOf(this.#registry);
    if (known.get(this.#key) === this) known.delete(this.#key);
  }

  onEvents(changes: readonly Change[]): void {
    this.#queue.run(() => andThen(this.#shown(changes), (shown) => this.#broadcast(shown)));
  }

  onProgress(): void {
    // bookmarks ask the cache how far it is
  }

  onEnd(reason: CacheEnd): void {
    this.#subscription = undefined;
    this.#queue.run(() => this.#endAll(reason));
  }

  /** What is said about all that happened so far must not come before the events of it. */
  afterEvents(work: () => void): void {
    this.#queue.run(work);
  }

  /** Ends every watch of these; clients begin again as they do when the server says no more. */
  end(reason: WatchEnd): void {
    this.#queue.run(() => this.#endAll(reason));
  }

  #listen(): void {
    if (this.#subscription !== undefined || this.users === 0) return;
    let ended = false;
    const listener = {
      onEvents: (changes: readonly Change[]) => this.onEvents(changes),
      onProgress: () => this.onProgress(),
      onEnd: (reason: CacheEnd) => {
        ended = true;
        this.onEnd(reason);
      },
    };
    const subscription = this.#registry.cache.listen(listener, lastingTerm(this.definition, this.selection));
    // a cache whose own feed has broken ends the watch at once
    if (!ended) this.#subscription = subscription;
  }

  #endAll(reason: WatchEnd): void {
    const members = [...this.#members];
    this.#members.clear();
    for (const member of members) member.onWatchEnd(reason);
  }

  /** Another definition took the place of the one that is watched, or the resource is gone. */
  #onRetired(successor: Registry | undefined): void {
    watchesOf(this.#registry).delete(this.#key);
    if (successor !== undefined && this.#canGoOn(successor)) this.#goOn(successor);
    else this.#queue.run(() => this.#endAll(successor === undefined ? expired(removedMessage) : 'closed'));
  }

  /** The columns of a table are told once, so they must stay; and fields that are selected by must still be there. */
  #canGoOn({ definition }: Registry): boolean {
    const { shape, selection } = this.#query;
    return shape.form.as !== 'Table' && selection.fields.every(({ field }) => isSelectable(definition, field));
  }

  #goOn(successor: Registry): void {
    const { shape, selection, framing } = this.#query;
    this.#registry = successor;
    this.#frames = new WatchFrames({ ...shape, definition: successor.definition }, framing);
    this.#see = viewOf(successor, selection);
    this.#retirement = successor.onRetired((next) => this.#onRetired(next));
    watchesOf(successor).set(this.#key, this);
  }

  /** The changes in the version of the watch; where they are large, other requests are served while their frames are made. */
  #shown(changes: readonly Change[], ...joining: readonly Member[]): MaybePromise<readonly Change[]> {
    return andThen(this.#registry.view.ofChanges(changes), (shown) => {
      this.#registry.refuseFlawed(shown.flatMap((change) => this.#sentObject(change)));
      if (!this.#frames.takesLong(bytesOf(shown))) return shown;
      const members = joining.length > 0 ? joining : [...this.#members];
      // only the first frame that such a member gets has columns
      const wishes = members.some(({ wantsColumns }) => wantsColumns) ? [true, false] : [false];
      const prepared = forEachInTurns(shown, (change) => this.#prepare(change, wishes));
      return andThen(prepared, () => shown);
    });
  }

  /** The object of a change that the watch is sent; the last state of a deleted one may be anything. */
  #sentObject(change: Change): readonly StoredObject[] {
    if (change.current?.flaw === undefined) return [];
    const event = this.#see(change);
    return event === undefined || event.type === 'DELETED' ? [] : [event.stored];
  }

  #prepare(change: Change, wishes: readonly boolean[]): void {
    const event = this.#see(change);
    if (event !== undefined) for (const withColumns of wishes) this.#frames.event(event, withColumns);
  }

  #broadcast(changes: readonly Change[]): void {
    const first = (changes[0] as Change).revision;
    let chunk: Uint8Array | undefined;
    let isRendered = false;
    let sizes: readonly number[] = [];
    let sharing = 0;
    for (const member of this.#members) {
      if (member.after >= first || member.wantsColumns) this.#deliver(member, changes);
      else {
        if (!isRendered) {
          chunk = this.#render(changes, false);
          sizes = this.#sizes;
        }
        isRendered = true;
        if (chunk === undefined) continue;
        sharing++;
        member.deliver(chunk);
      }
    }
    if (sharing > 0) this.counts.sent(sizes, sharing);
  }

  /** What watches of the version were sent. */
  get counts(): WatchCounts {
    this.#registry.watchCounts ??= new WatchCounts();
    return this.#registry.watchCounts;
  }

  #deliverMissed(member: Member, changes: readonly Change[]): MaybePromise<void> {
    this.counts.initial += changes.length;
    const deliver = (shown: readonly Change[]) => {
      this.#deliver(member, shown);
      // history may be ahead of the cache: what it told must not come again
      member.after = (changes.at(-1) as Change).revision;
    };
    const shown = this.#shown(changes, member);
    // the member is not yet one of those that the end of the watch is told to
    return isPromise(shown)
      ? shown.then(deliver).catch((error: unknown) => member.onWatchEnd(asApiError(error)))
      : deliver(shown);
  }

  #deliver(member: Member, changes: readonly Change[]): void {
    const later = changes.filter(({ revision }) => revision > member.after);
    const chunk = this.#render(later, member.wantsColumns);
    if (chunk === undefined) return;
    this.counts.sent(this.#sizes, 1);
    member.deliver(chunk);
  }

  #render(changes: readonly Change[], withColumns: boolean): Uint8Array | undefined {
    const frames: Uint8Array[] = [];
    for (const change of changes) {
      const event = this.#see(change);
      if (event !== undefined) frames.push(this.#frames.event(event, withColumns && frames.length === 0));
    }
    if (frames.length === 0) return undefined;
    this.#sizes = frames.map(({ length }) => length);
    return frames.length === 1 ? frames[0] : Buffer.concat(frames);
  }
}

function bytesOf(changes: readonly Change[]): number {
  let bytes = 0;
  for (const { current, previous } of changes) bytes += (current ?? previous)?.size ?? 0;
  return bytes;
}

const asApiError = (error: unknown) => (error instanceof ApiError ? error : unexpectedError(error));

const removedMessage = 'The resource is no longer served.';
