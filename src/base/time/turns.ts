// Long work over many items: other requests are served between two of them. Work on one item runs to its end.

import { isPromise, type MaybePromise } from '../maybe-promise.ts';

/** A tick may last about this long, whatever all the long work in it is for: a create passes through some six of them. */
const turnMs = 1;

/** When long work began in this turn of the event loop; undefined while there was none. */
let began: number | undefined;
/** Whether one of those who wait was served in this tick of the event loop, and whether that was background work. */
let hasServed = false;
let isBackgroundSlice = false;
/** Those who wait for a turn, in the order in which they came. */
const waiting: (() => void)[] = [];
/** The same for work that no request waits for. */
const background: (() => void)[] = [];
/** While requests need time slices, background work has one after this many of theirs, however long those take on a busy machine. */
const requestSlicesFirst = 8;
/** Requests need time slices until none has begun for this long: one that sends an answer waits for its client in between. */
const restMs = 250;
/** Background work has a time slice after this long at the latest. */
const backgroundMs = 100;
/** Background work that has lasted this long waits no longer than work of requests. */
const patienceMs = 30_000;
/** When a request needed a time slice for the last time. */
let requestServedAt = Number.NEGATIVE_INFINITY;
/** When background work had a time slice for the last time, and when it began: without a pause since then. */
let backgroundServedAt = Number.NEGATIVE_INFINITY;
let backgroundBeganAt = 0;
/** Time slices that requests needed since background work had one, and whether this is one of them. */
let requestSlices = 0;
let isRequestSlice = false;

/** To be awaited between two items: undefined while the turn lasts, whatever was done in it. */
export function yieldTurn(): Promise<void> | undefined {
  return isUsedUp() ? nextTurn() : undefined;
}

/** The same for long answers and what they wait for: while they need time slices, and for a moment after, background work has few. */
export function yieldAsRequest(): Promise<void> | undefined {
  beginningOfTurn();
  if (!isRequestSlice) requestSlices++;
  isRequestSlice = true;
  if (requestSlices === requestSlicesFirst && background.length > 0) setImmediate(serveNext);
  requestServedAt = performance.now();
  return yieldTurn();
}

/** The same for work that no request waits for: work of requests goes first, but never takes all the time. */
export function yieldToRequests(): Promise<void> | undefined {
  if (!isUsedUp() && (isBackgroundSlice || !isRequestServed())) return undefined;
  return new Promise((resolve) => {
    const now = performance.now();
    if (background.length === 0 && now - backgroundServedAt > 2 * restMs) backgroundBeganAt = now;
    background.push(resolve);
    setImmediate(serveNext);
  });
}

/** One after the other, as background work unless `isAwaited`, which a request may change meanwhile. The first failure ends it. */
export async function forEachInBackground<T>(
  items: readonly T[],
  work: (item: T) => void,
  isAwaited: () => boolean = () => false,
): Promise<void> {
  for (const item of items) {
    await (isAwaited() ? yieldTurn() : yieldToRequests());
    work(item);
  }
}

/** One after the other; at once where there are few and none of them waits. The first failure ends it. Items may be added meanwhile. */
export function forEachInTurns<T>(items: readonly T[], work: (item: T) => MaybePromise<void>): MaybePromise<void> {
  beginningOfTurn();
  for (let i = 0; i < items.length; i++) {
    const done = work(items[i] as T);
    if (isPromise(done) || (isUsedUp() && i + 1 < items.length)) return goOn(items, work, i + 1, done);
  }
}

async function goOn<T>(
  items: readonly T[],
  work: (item: T) => MaybePromise<void>,
  from: number,
  before: MaybePromise<void>,
): Promise<void> {
  await before;
  for (let i = from; i < items.length; i++) {
    await yieldTurn();
    await work(items[i] as T);
  }
}

/** Work on so many bytes takes some 20 milliseconds: others are served before and after it. */
const largeBytes = 256 * 1024;

/** To be awaited before work on bytes that may be many, where several such works follow each other. */
export const turnForLarge = (bytes: number): Promise<void> | undefined => (bytes < largeBytes ? undefined : nextTurn());

/** Resolves when everything else that waits has had its turn, as soon as there is time left in one. */
const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(serveNext);
  });

/** However many wait, a client that comes waits for a turn of one of them only; one is served in each, whatever else is done in it. */
function serveNext(): void {
  if (hasServed && isUsedUp()) {
    setImmediate(serveNext);
    return;
  }
  const isBackgroundDue = background.length > 0 && (!isRequestServed() || isOverdue());
  const [next] = isBackgroundDue ? background : waiting;
  if (next === undefined) {
    if (background.length > 0) setTimeout(serveNext, backgroundMs);
    return;
  }
  if (!hasServed) endTurn();
  beginningOfTurn();
  hasServed = true;
  isBackgroundSlice = isBackgroundDue;
  if (isBackgroundDue) {
    background.shift();
    requestSlices = 0;
    backgroundServedAt = performance.now();
  } else {
    waiting.shift();
  }
  next();
}

/** Whether background work has waited long enough for requests. */
function isOverdue(): boolean {
  const now = performance.now();
  const hasWaited = requestSlices >= requestSlicesFirst || now - backgroundServedAt >= backgroundMs;
  return hasWaited || now - backgroundBeganAt >= patienceMs;
}

/** Whether a request needed a time slice a moment ago. */
const isRequestServed = () => performance.now() - requestServedAt < restMs;

const isUsedUp = () => performance.now() - beginningOfTurn() > turnMs;

function beginningOfTurn(): number {
  if (began === undefined) {
    began = performance.now();
    setImmediate(endTurn);
  }
  return began;
}

function endTurn(): void {
  began = undefined;
  hasServed = false;
  isBackgroundSlice = false;
  isRequestSlice = false;
}
