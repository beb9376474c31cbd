import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StandingTime } from '../../testing/standing-time.ts';
import { forEachInBackground, forEachInTurns, yieldAsRequest, yieldTurn } from './turns.ts';

let time: StandingTime;
beforeEach(async () => {
  time = await StandingTime.begin();
});
afterEach(() => time.end());

const busy = (ms: number) => time.pass(ms);

test('a few that do not wait are done at once', () => {
  const seen: number[] = [];
  const result = forEachInTurns([1, 2, 3], (item) => {
    seen.push(item);
  });
  expect(result).toBeUndefined();
  expect(seen).toEqual([1, 2, 3]);
});

test('many let other work in between, and keep their order', async () => {
  const seen: number[] = [];
  let others = 0;
  const other = () => {
    others++;
    immediate = setImmediate(other);
  };
  let immediate = setImmediate(other);
  await forEachInTurns([1, 2, 3, 4, 5, 6], (item) => {
    busy(6);
    seen.push(item);
  });
  clearImmediate(immediate);
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  expect(others).toBeGreaterThan(1);
});

test('one that waits is waited for before the next', async () => {
  const seen: string[] = [];
  await forEachInTurns(['a', 'b'], async (item) => {
    seen.push(`${item} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${item} ends`);
  });
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test.each([
  ['at once', 0],
  ['later', 6],
])('the first failure ends it, %s', async (_, ms) => {
  const seen: number[] = [];
  const run = async () =>
    forEachInTurns([1, 2, 3], (item) => {
      busy(ms);
      seen.push(item);
      if (item === 2) throw new Error('two');
    });
  await expect(run()).rejects.toThrow('two');
  expect(seen).toEqual([1, 2]);
});

test('a hundred thousand that do not wait need no stack', async () => {
  let count = 0;
  await forEachInTurns(new Array(100_000).fill(0), () => {
    count++;
  });
  expect(count).toBe(100_000);
});

/** Turns of the event loop, until it is stopped. */
function countTurns(): { readonly end: () => number } {
  let turns = 0;
  let next = setImmediate(function turn() {
    turns++;
    next = setImmediate(turn);
  });
  return {
    end() {
      clearImmediate(next);
      return turns;
    },
  };
}

/** Work that yields after each of its items. */
async function work(name: string, items: number, done: string[]): Promise<void> {
  for (let item = 0; item < items; item++) {
    time.pass(4);
    done.push(name);
    await yieldTurn();
  }
}

describe('long work', () => {
  test('yields by all that was done in the turn, not by its own part of it', async () => {
    expect(yieldTurn()).toBeUndefined();
    time.pass(6);
    const first = yieldTurn();
    expect(first).toBeInstanceOf(Promise);
    expect(yieldTurn()).toBeInstanceOf(Promise);
    await first;
    expect(yieldTurn()).toBeUndefined();
  });

  test('of many is done in as many turns as it needs, each in its order', async () => {
    const done: string[] = [];
    const turns = countTurns();
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => work(name, 4, done)));
    // two items fill a turn, and there are sixteen
    expect(turns.end()).toBeGreaterThanOrEqual(6);
    for (const name of ['a', 'b', 'c', 'd']) expect(done.filter((one) => one === name)).toHaveLength(4);
    // none is done before the others have had a turn
    expect(done.lastIndexOf('a')).toBeGreaterThan(done.indexOf('d'));
  });

  test('is gone on with, though the turns are used up by others', async () => {
    let isOver = false;
    const busy = (): void => {
      void yieldTurn();
      time.pass(100);
      if (!isOver) setTimeout(busy);
    };
    busy();
    for (let turn = 0; turn < 5; turn++) {
      time.pass(6);
      await yieldTurn();
    }
    isOver = true;
  });
});

describe('background work', () => {
  // no request needed a time slice just before
  beforeEach(() => busy(1000));

  /** Work of a request that needs a number of time slices, and waits for its client after each of them. */
  async function request(slices: number, isIdle: () => Promise<void>): Promise<void> {
    for (let at = 0; at < slices; at++) {
      await yieldAsRequest();
      busy(6);
      await isIdle();
    }
  }
  const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

  test('goes on while no request needs a time slice', async () => {
    let items = 0;
    await forEachInBackground([1, 2, 3, 4], () => {
      busy(6);
      items++;
    });
    expect(items).toBe(4);
  });

  test('gets one time slice after eight of a request, also while that waits for its client', async () => {
    let items = 0;
    const all = forEachInBackground(new Array(1000).fill(0), () => {
      busy(6);
      items++;
    });
    await nextTick();
    const before = items;
    await request(40, nextTick);
    expect(items - before).toBeGreaterThanOrEqual(3);
    expect(items - before).toBeLessThanOrEqual(8);
    busy(1000);
    await all;
    expect(items).toBe(1000);
  });

  test('waits for requests for half a minute at most, then it has as many time slices as they have', async () => {
    let items = 0;
    const all = forEachInBackground(new Array(100).fill(0), () => {
      busy(6);
      items++;
    });
    await request(8, nextTick);
    busy(30_000);
    const before = items;
    await request(20, nextTick);
    expect(items - before).toBeGreaterThanOrEqual(15);
    busy(1000);
    await all;
  });

  test('has the time slices of a request where a request waits for it', async () => {
    let isAwaited = false;
    let items = 0;
    const all = forEachInBackground(
      new Array(30).fill(0),
      () => {
        busy(6);
        items++;
      },
      () => isAwaited,
    );
    isAwaited = true;
    await request(40, async () => {});
    expect(items).toBeGreaterThanOrEqual(28);
    await all;
  });

  test('ends with the first failure', async () => {
    const seen: number[] = [];
    const run = forEachInBackground([1, 2, 3], (item) => {
      seen.push(item);
      if (item === 2) throw new Error('two');
    });
    await expect(run).rejects.toThrow('two');
    expect(seen).toEqual([1, 2]);
  });
});
