// Long work over many items: other requests are served between two of them. Work on one item runs to its end.

import { isPromise, type MaybePromise } from './maybe-promise.ts';

/** A turn may last about this long, whatever all the long work in it is for. */
const turnMs = 5;

/** When long work began in this turn of the event loop; undefined while there was none. */
let began: number | undefined;
/** Whether one of those who wait was served in this turn. */
let hasServed = false;
/** Those who wait for a turn, in the order in which they came. */
const waiting: (() => void)[] = [];

/** To be awaited between two items: undefined while the turn lasts, whatever was done in it. */
export function yieldTurn(): Promise<void> | undefined {
  return isUsedUp() ? nextTurn() : undefined;
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
  if (!hasServed) endTurn();
  beginningOfTurn();
  hasServed = true;
  waiting.shift()?.();
}

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
}
