// One watch while it lasts: the initial state, the events of the shared watch, bookmarks, and its end. There may be ten
// thousand, mostly idle: what is held here is what an idle watch costs.

import type { Deadline, Deadlines, DeadlineTarget } from '../../base/time/deadlines.ts';
import type { Sink } from '../../meta/exchange.ts';
import type { Revision } from '../../meta/revision.ts';
import { ApiError } from '../../meta/status.ts';
import { slicesOf } from '../../registry/list.ts';
import { currentState } from '../../registry/watch.ts';
import { EventStream, type StreamOwner } from './event-stream.ts';
import type { Member, SharedWatch, WatchEnd } from './shared-watch.ts';
import type { WatchStart } from './watch-start.ts';

/** Whose watch it is. */
export interface WatchClient {
  readonly user: string;
  readonly userAgent: string;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
}

export interface WatchTerms {
  readonly client: WatchClient;
  readonly start: WatchStart;
  readonly seconds: number;
  readonly bookmarks: boolean;
  readonly deadlines: Deadlines;
}

const bookmarkIntervalMs = 60_000;
/** compat: the last bookmark comes two seconds before the end, and a watch that is no longer than that has none */
const lastBookmarkMs = 2000;
/** A client that does not read the state for this long keeps no seats of its priority level meanwhile. */
const stallMs = 1000;
/** Frames of the initial state are joined into chunks of about this size. */
const chunkBytes = 64 * 1024;

export class Watcher implements Member, StreamOwner, DeadlineTarget {
  readonly client: WatchClient;
  readonly #shared: SharedWatch;
  readonly #stream: EventStream;
  readonly #deadlines: Deadlines;
  readonly #bookmarks: boolean;
  /** What is left of its time after the next deadline. */
  #leftMs: number;
  #deadline: Deadline;
  /** Stops the delivery of what it missed; only while that lasts. */
  #replay: { close(): void } | undefined;
  #follows = false;
  after: Revision;
  wantsColumns: boolean;

  constructor(shared: SharedWatch, sink: Sink, { client, start, seconds, bookmarks, deadlines }: WatchTerms) {
    this.client = client;
    this.#shared = shared;
    this.#stream = new EventStream(sink, this);
    this.#deadlines = deadlines;
    this.#bookmarks = bookmarks;
    this.#leftMs = seconds * 1000;
    this.after = start.kind === 'after' ? start.revision : shared.registry.cache.revision;
    this.wantsColumns = shared.frames.hasColumns;
    this.#deadline = this.#schedule();
    sink.onStop(() => this.#stream.end());
  }

  get sentBytes(): number {
    return this.#stream.sentBytes;
  }

  get unsentBytes(): number {
    return this.#stream.unsentBytes;
  }

  /** Begins to send; `onStateSent` may be called more than once. A failure to show the initial state is told by an event, since the status is long gone. */
  begin(start: WatchStart, onStateSent: () => void = () => {}): void {
    if (start.kind !== 'state') this.#join();
    else
      this.#sendState(start.markEnd && this.#bookmarks, onStateSent).then(
        () => {
          onStateSent();
          this.#join();
        },
        (error: unknown) => {
          onStateSent();
          this.onWatchEnd(error instanceof ApiError ? error : 'closed');
        },
      );
  }

  deliver(chunk: Uint8Array): void {
    this.wantsColumns = false;
    this.#stream.send(chunk);
  }

  onCaughtUp(): void {
    this.#replay = undefined;
    this.#follows = true;
  }

  onWatchEnd(reason: WatchEnd): void {
    const { frames } = this.#shared;
    if (reason !== 'closed') this.#stream.send(reason === 'gone' ? frames.gone() : frames.error(reason));
    this.#stream.end();
  }

  #join(): void {
    if (this.#stream.isOver) return;
    const replay = this.#shared.join(this);
    // it may be over already
    if (this.#stream.isOver) replay.close();
    else if (!this.#follows) this.#replay = replay;
  }

  onStreamEnd(isCut: boolean): void {
    if (isCut) this.#shared.counts.cut++;
    this.#deadlines.cancel(this.#deadline);
    this.#replay?.close();
    this.#shared.release(this);
  }

  #schedule(): Deadline {
    const ms = this.#bookmarks ? untilNext(this.#leftMs) : this.#leftMs;
    this.#leftMs -= ms;
    return this.#deadlines.after(ms, this);
  }

  /** A minute has passed, or the time is nearly up: both are told by a bookmark, where the client wants them. */
  onDeadline(): void {
    if (this.#leftMs <= 0) {
      this.#stream.end();
      return;
    }
    if (this.#follows) this.#mark();
    this.#deadline = this.#schedule();
  }

  #mark(): void {
    const { revision } = this.#shared.registry.cache;
    const reached = Math.max(revision, this.after) as Revision;
    this.#shared.afterEvents(() =>
      this.deliver(this.#shared.frames.bookmark(reached, { withColumns: this.wantsColumns })),
    );
  }

  /** Another server may have to convert it: that ends when the client leaves. */
  async #state(): Promise<Awaited<ReturnType<typeof currentState>>> {
    const { registry, selection } = this.#shared;
    if (!registry.versions.waits) return currentState(registry, selection);
    const left = new AbortController();
    this.#replay = { close: () => left.abort() };
    const during = { deadline: Number.POSITIVE_INFINITY, signal: left.signal };
    const state = await currentState(registry.during(during), selection);
    this.#replay = undefined;
    return state;
  }

  /** What there is now, as fast as the client takes it. */
  async #sendState(markEnd: boolean, onStalled: () => void): Promise<void> {
    const { selection, counts } = this.#shared;
    const began = performance.now();
    const { objects, revision } = await this.#state();
    this.#shared.registry.refuseFlawed(objects);
    this.after = revision;
    counts.initial += objects.length;
    const frames = this.#shared.frames.forState(objects.reduce((sum, { size }) => sum + size, 0));
    let chunk: Uint8Array[] = [];
    let size = 0;
    const flush = () => {
      if (chunk.length > 0) this.deliver(Buffer.concat(chunk));
      chunk = [];
      size = 0;
    };
    for await (const slice of slicesOf({ objects, revision })) {
      for (const stored of slice) {
        const pieces = frames.pieces('ADDED', stored);
        if (pieces === undefined) {
          const frame = frames.encodeUncached('ADDED', stored, this.wantsColumns);
          this.wantsColumns = false;
          chunk.push(frame);
          size += frame.length;
          counts.sizes.observe(frame.length);
          if (size < chunkBytes) continue;
          flush();
        } else {
          flush();
          for (const piece of pieces) this.deliver(piece);
          counts.sizes.observe(pieces.reduce((sum, { length }) => sum + length, 0));
        }
        await this.#writable(onStalled);
        if (this.#stream.isOver) return;
      }
    }
    flush();
    counts.sentState(selection.namespace === '' ? 'cluster' : 'namespace', (performance.now() - began) / 1000);
    if (markEnd) this.deliver(frames.bookmark(revision, { endsState: true, withColumns: this.wantsColumns }));
  }

  async #writable(onStalled: () => void): Promise<void> {
    if (!this.#stream.isBlocked) return;
    const stalled = this.#deadlines.after(stallMs, { onDeadline: onStalled });
    await this.#stream.writable();
    this.#deadlines.cancel(stalled);
  }
}

/** How long it is to the next bookmark, or to the end where no more come. */
function untilNext(leftMs: number): number {
  return leftMs > lastBookmarkMs ? Math.min(bookmarkIntervalMs, leftMs - lastBookmarkMs) : leftMs;
}
