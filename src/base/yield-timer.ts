// Long work in short turns, so that other requests do not wait for it.

/** A turn may last about this long, whatever all the long work in it is for. */
const turnMs = 5;

/** When long work began in this turn of the event loop; undefined while there was none. */
let began: number | undefined;
/** Whether one of those who wait was served in this turn. */
let hasServed = false;
/** Those who wait for a turn, in the order in which they came. */
const waiting: (() => void)[] = [];

/** Resolves when everything else that waits has had its turn, as soon as there is time left in one. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    setImmediate(serveNext);
  });

/** Work on so many bytes takes some 20 milliseconds: others are served before and after it. */
const largeBytes = 256 * 1024;

/** To be awaited before work on bytes that may be many, where several such works follow each other. */
export const turnForLarge = (bytes: number): Promise<void> | undefined => (bytes < largeBytes ? undefined : nextTurn());

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

export class YieldTimer {
  constructor() {
    beginningOfTurn();
  }

  /** Whether the work may be long at all: what would only make it rest more often is not done otherwise. */
  get mayRest(): boolean {
    return true;
  }

  /** Whether the long work of this turn has lasted long enough, all of it together; to be looked at after each small step. */
  get isDue(): boolean {
    return isUsedUp();
  }

  /** Lets everything else that waits have its turn. */
  rest(): Promise<void> {
    return nextTurn();
  }
}

/** Whatever a client puts into so few bytes, the usual work on it is over within a turn. */
const smallBytes = 16 * 1024;

/** Reads no clock: that would be one percent of what a small write costs. */
class NeverDue extends YieldTimer {
  override get mayRest(): boolean {
    return false;
  }

  override get isDue(): boolean {
    return false;
  }
}

const neverDue = new NeverDue();

/** For work whose length depends on the size of what a client sent and what is stored. */
export function yieldTimerFor(bytes: number): YieldTimer {
  return bytes < smallBytes ? neverDue : new YieldTimer();
}
