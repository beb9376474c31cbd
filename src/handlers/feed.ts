// All watches of a resource that select the same objects in the same form: what happens is looked at once for all of
// them, made into bytes once, and the same bytes are written to each.

import { formatApiVersion } from '../meta/group-version.ts';
import type { Revision } from '../meta/revision.ts';
import type { Registry } from '../registry/registry.ts';
import type { Selection } from '../registry/selection.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { viewOf } from '../registry/watch.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { CacheEvent, CacheListener } from '../storage/cache/watch-cache.ts';
import type { Shape } from './shape.ts';
import type { Framing } from './watch-frames.ts';
import { WatchFrames } from './watch-frames.ts';

type Change = CacheEvent<StoredObject>;

/** One watch, as its feed sees it. */
export interface Member {
  /** It wants what comes after this revision. */
  after: Revision;
  /** Its next event has to say what the columns of the table are. */
  readonly wantsColumns: boolean;
  deliver(chunk: Uint8Array): void;
  /** What it missed has been delivered; from now on it gets what happens. */
  onCaughtUp(): void;
  /** The feed is over; `gone` when the history it needs is no longer there. */
  onFeedEnd(reason: 'gone' | 'closed'): void;
}

const feeds = new WeakMap<Registry, Map<string, Feed>>();

export interface FeedQuery {
  readonly registry: Registry;
  readonly selection: Selection;
  readonly shape: Shape;
  readonly framing: Framing;
}

/** The feed that others with the same wishes use already, or a new one; to be released by each who asked for it. */
export function feedFor(query: FeedQuery): Feed {
  const frames = new WatchFrames(query.shape, query.framing);
  const key = JSON.stringify([formatApiVersion(query.shape.definition), frames.key, query.selection]);
  let known = feeds.get(query.registry);
  if (known === undefined) {
    known = new Map();
    feeds.set(query.registry, known);
  }
  const feed = known.get(key) ?? new Feed(query, frames, () => known.delete(key));
  known.set(key, feed);
  feed.users++;
  return feed;
}

/** The feeds of a resource that are in use. */
export function openFeeds(registry: Registry): readonly Feed[] {
  return [...(feeds.get(registry)?.values() ?? [])];
}

export class Feed implements CacheListener<StoredObject> {
  readonly frames: WatchFrames;
  readonly registry: Registry;
  readonly selection: Selection;
  /** The version that its watches see. */
  readonly definition: ResourceDefinition;
  readonly #see: ReturnType<typeof viewOf>;
  readonly #members = new Set<Member>();
  readonly #onUnused: () => void;
  #subscription: { close(): void } | undefined;
  /** Watches that have this feed, whether they are members yet or not. */
  users = 0;

  constructor({ registry, selection, shape }: FeedQuery, frames: WatchFrames, onUnused: () => void) {
    this.registry = registry;
    this.selection = selection;
    this.definition = shape.definition;
    this.frames = frames;
    this.#see = viewOf(registry, selection);
    this.#onUnused = onUnused;
  }

  /** Delivers what the member has missed, then everything that happens. What is returned stops the former. */
  join(member: Member): { close(): void } {
    return this.registry.cache.replay(member.after, {
      onEvents: (changes) => {
        this.#deliver(member, changes);
        // history may be ahead of the cache: what it told must not come again
        member.after = (changes.at(-1) as Change).revision;
      },
      onCaughtUp: () => this.#add(member),
      onEnd: (reason) => member.onFeedEnd(reason),
    });
  }

  /** To be called once by everybody who got this feed. */
  release(member: Member): void {
    this.#members.delete(member);
    if (this.#members.size === 0) {
      this.#subscription?.close();
      this.#subscription = undefined;
    }
    if (--this.users === 0) this.#onUnused();
  }

  onEvents(changes: readonly Change[]): void {
    const first = (changes[0] as Change).revision;
    let chunk: Uint8Array | undefined;
    let isRendered = false;
    for (const member of this.#members) {
      if (member.after >= first || member.wantsColumns) this.#deliver(member, changes);
      else {
        if (!isRendered) chunk = this.#render(changes, false);
        isRendered = true;
        if (chunk !== undefined) member.deliver(chunk);
      }
    }
  }

  onProgress(): void {
    // bookmarks ask the cache how far it is
  }

  onEnd(reason: 'closed'): void {
    this.#subscription = undefined;
    const members = [...this.#members];
    this.#members.clear();
    for (const member of members) member.onFeedEnd(reason);
  }

  #add(member: Member): void {
    this.#members.add(member);
    member.onCaughtUp();
    if (this.#subscription !== undefined) return;
    const subscription = this.registry.cache.listen(this);
    // a cache whose own feed has broken ends everybody at once
    if (this.#members.size > 0) this.#subscription = subscription;
  }

  #deliver(member: Member, changes: readonly Change[]): void {
    const later = changes.filter(({ revision }) => revision > member.after);
    const chunk = this.#render(later, member.wantsColumns);
    if (chunk !== undefined) member.deliver(chunk);
  }

  #render(changes: readonly Change[], withColumns: boolean): Uint8Array | undefined {
    const frames: Uint8Array[] = [];
    for (const change of changes) {
      const event = this.#see(change);
      if (event !== undefined) frames.push(this.frames.event(event, withColumns && frames.length === 0));
    }
    if (frames.length === 0) return undefined;
    return frames.length === 1 ? frames[0] : Buffer.concat(frames);
  }
}
