// Requests of one priority level: seats, queues, turns.

import { describe, expect, test } from 'vitest';
import { SharedCounts } from '../base/shared-counts.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { FlowStats } from './flow-stats.ts';
import { LevelSeats, seatColumns } from './level-seats.ts';
import { epochSeatSeconds, QueueSet, type QueueSettings } from './queue-set.ts';
import { SeatDemand } from './seat-demand.ts';
import { type SeatEstimate, SeatedRequest } from './seated-request.ts';
import { dealHand, flowHash } from './shuffle-sharding.ts';

const stats = new FlowStats('schema', 'level');
const oneSeat = { initialSeats: 1, finalSeats: 0, extraMs: 0 };

function request(estimate: Partial<SeatEstimate> = {}): SeatedRequest {
  return new SeatedRequest({} as never, { distinguisher: '', stats }, { ...oneSeat, ...estimate });
}

function levelOf(settings: Partial<QueueSettings>, limit: number, seats = LevelSeats.alone('level'), isExempt = false) {
  const clock = new FakeClock();
  const retries: (() => void)[] = [];
  const demand = new SeatDemand(clock);
  const level = new QueueSet({ clock, seats, demand, isExempt, later: (retry) => void retries.push(retry) });
  level.configure({ queues: 4, handSize: 1, lengthLimit: 10, ...settings });
  level.setLimit(limit);
  const retry = () => {
    for (const run of retries.splice(0)) run();
  };
  return { clock, level, retry, demand };
}

describe('seats of a level', () => {
  test('requests run at once while there are seats, and wait after that', () => {
    const { level } = levelOf({}, 2);
    const all = [request(), request(), request()];
    expect(all.map((one) => level.enter(one, [0]))).toEqual(['seated', 'seated', 'waiting']);
    level.finish(all[0] as SeatedRequest);
    expect(all[2]?.state).toBe('seated');
    expect(level.waiting).toBe(0);
  });

  test('a level without queues refuses', () => {
    const { level } = levelOf({ queues: 0 }, 1);
    const first = request();
    expect(level.enter(first, [])).toBe('seated');
    expect(level.enter(request(), [])).toBe('concurrency-limit');
    level.finish(first);
    expect(level.enter(request(), [])).toBe('seated');
  });

  test('an exempt level has no limit', () => {
    const { level } = levelOf({ queues: 0 }, 0, LevelSeats.alone('exempt'), true);
    for (let i = 0; i < 100; i++) expect(level.enter(request(), [])).toBe('seated');
  });

  test('a full queue refuses, another queue does not', () => {
    const { level } = levelOf({ lengthLimit: 1 }, 1);
    expect([0, 0, 0, 1].map((queue) => level.enter(request(), [queue]))).toEqual([
      'seated',
      'waiting',
      'queue-full',
      'waiting',
    ]);
  });

  test('a request that needs more seats than the limit runs alone', () => {
    const { level } = levelOf({}, 4);
    const small = request();
    const large = request({ initialSeats: 9 });
    level.enter(small, [0]);
    expect(level.enter(large, [1])).toBe('waiting');
    level.finish(small);
    expect(large.state).toBe('seated');
    expect(level.enter(request(), [2])).toBe('waiting');
  });

  test('seats of watch events are given back later', () => {
    const { level } = levelOf({}, 3);
    const write = request({ finalSeats: 3, extraMs: 20 });
    level.enter(write, [0]);
    const next = request();
    expect(level.enter(next, [1])).toBe('waiting');
    level.finish(write);
    expect(next.state).toBe('waiting');
    level.giveBack(write);
    expect(next.state).toBe('seated');
  });

  test('a request that left its queue gets no seat', () => {
    const { level } = levelOf({}, 1);
    const [first, second, third] = [request(), request(), request()];
    for (const one of [first, second, third]) level.enter(one, [0]);
    level.leave(second);
    level.finish(first);
    expect([second.state, third.state]).toEqual(['over', 'seated']);
  });

  test('a larger limit seats those that wait', () => {
    const { level } = levelOf({}, 1);
    const all = [request(), request(), request()];
    for (const one of all) level.enter(one, [0]);
    level.setLimit(3);
    expect(all.map(({ state }) => state)).toEqual(['seated', 'seated', 'seated']);
  });

  test('queues that are too many serve what waits, and are dropped', () => {
    const { level } = levelOf({ queues: 3 }, 1);
    const [first, second] = [request(), request()];
    level.enter(first, [0]);
    level.enter(second, [2]);
    level.configure({ queues: 1, handSize: 1, lengthLimit: 10 });
    level.finish(first);
    expect(second.state).toBe('seated');
    level.finish(second);
    expect(level.queues.length).toBe(1);
  });
});

describe('turns', () => {
  /** Each request takes `ms`; `waiting` are requests by flow, all there from the start. */
  function served(waiting: Readonly<Record<string, number>>, ms: number, count: number) {
    const { level, clock } = levelOf({ lengthLimit: 100 }, 1);
    const running: { readonly flow: string; readonly request: SeatedRequest }[] = [];
    const counts: Record<string, number> = {};
    for (const [at, [flow, requests]] of Object.entries(waiting).entries())
      for (let i = 0; i < requests; i++) {
        const one = request();
        one.onSeated = () => void running.push({ flow, request: one });
        if (level.enter(one, [at]) === 'seated') running.push({ flow, request: one });
      }
    for (let i = 0; i < count; i++) {
      const { flow, request: one } = running.shift() as (typeof running)[number];
      counts[flow] = (counts[flow] ?? 0) + 1;
      clock.advance(ms);
      level.finish(one);
    }
    return counts;
  }

  test('a flow with many requests and one with few get as many turns while both wait', () => {
    const counts = served({ noisy: 90, quiet: 10 }, 5, 20);
    expect(counts['quiet']).toBeGreaterThanOrEqual(9);
    expect(counts['noisy']).toBeGreaterThanOrEqual(9);
  });

  test('a request of a new flow is served before the rest of a long queue', () => {
    const { level, clock } = levelOf({ lengthLimit: 100 }, 1);
    const noisy = Array.from({ length: 50 }, () => request());
    for (const one of noisy) level.enter(one, [0]);
    for (const one of noisy.slice(0, 10)) {
      clock.advance(50);
      level.finish(one);
    }
    const quiet = request();
    level.enter(quiet, [1]);
    level.finish(noisy[10] as SeatedRequest);
    expect(quiet.state).toBe('seated');
  });

  test('a flow whose requests take longer gets fewer turns', () => {
    const { level, clock } = levelOf({ lengthLimit: 200 }, 1);
    const turns = { slow: 0, fast: 0 };
    const running: { readonly kind: 'slow' | 'fast'; readonly request: SeatedRequest }[] = [];
    for (let i = 0; i < 200; i++)
      for (const kind of ['slow', 'fast'] as const) {
        const one = request();
        one.onSeated = () => void running.push({ kind, request: one });
        if (level.enter(one, [kind === 'slow' ? 0 : 1]) === 'seated') running.push({ kind, request: one });
      }
    for (let i = 0; i < 100; i++) {
      const { kind, request: one } = running.shift() as (typeof running)[number];
      turns[kind]++;
      clock.advance(kind === 'slow' ? 40 : 10);
      level.finish(one);
    }
    expect(turns.fast / turns.slow).toBeGreaterThan(3);
    expect(turns.fast / turns.slow).toBeLessThan(5);
  });

  test('a flow takes the shortest queue of its hand', () => {
    const { level } = levelOf({ handSize: 2, lengthLimit: 2 }, 1);
    for (let i = 0; i < 3; i++) level.enter(request(), [0]);
    const results = Array.from({ length: 3 }, () => level.enter(request(), [0, 1]));
    expect(results).toEqual(['waiting', 'waiting', 'queue-full']);
    expect(level.queues[1]?.waiting.length).toBe(2);
  });
});

describe('hands of queues', () => {
  test('a hand has different queues, all of those there are', () => {
    for (let i = 0; i < 200; i++) {
      const hand = dealHand(flowHash('schema', `user ${i}`), 64, 6);
      expect(new Set(hand).size).toBe(6);
      expect(Math.max(...hand)).toBeLessThan(64);
      expect(Math.min(...hand)).toBeGreaterThanOrEqual(0);
    }
  });

  test('every card of a small deck is dealt once', () => {
    expect(dealHand(flowHash('a', 'b'), 5, 5).toSorted()).toEqual([0, 1, 2, 3, 4]);
  });

  test('cards are those of kube-apiserver', () => {
    // 1 = 1 + 4 * (0 + 3 * 0), 11 = 3 + 4 * (2 + 3 * 0)
    expect(dealHand(1n, 4, 2)).toEqual([1, 0]);
    expect(dealHand(11n, 4, 2)).toEqual([3, 2]);
    expect(dealHand(5n, 4, 3)).toEqual([1, 2, 0]);
  });
});

describe('levels in several threads', () => {
  function twoThreads(limit: number) {
    const layout = { ...seatColumns, rows: 2 };
    const memory = new SharedCounts(layout).memory;
    return [0, 1].map((row) => {
      const counts = new SharedCounts(layout, row, memory);
      return { counts, ...levelOf({}, limit, new LevelSeats(counts, 0, 'level')) };
    }) as [ReturnType<typeof one>, ReturnType<typeof one>];
    function one() {
      return { counts: new SharedCounts(layout), ...levelOf({}, limit) };
    }
  }

  test('have the limit of the server together', () => {
    const [a, b] = twoThreads(3);
    expect([a, b, a, b].map(({ level }) => level.enter(request(), [0]))).toEqual([
      'seated',
      'seated',
      'seated',
      'waiting',
    ]);
  });

  test('find seats that another thread gave back', () => {
    const [a, b] = twoThreads(1);
    const first = request();
    const second = request();
    a.level.enter(first, [0]);
    expect(b.level.enter(second, [0])).toBe('waiting');
    a.level.finish(first);
    expect(second.state).toBe('waiting');
    b.retry();
    expect(second.state).toBe('seated');
  });

  test('leave seats to a thread whose requests wait', () => {
    const [a, b] = twoThreads(4);
    const running = Array.from({ length: 4 }, () => request());
    for (const one of running) a.level.enter(one, [0]);
    const more = Array.from({ length: 4 }, () => request());
    for (const one of more) a.level.enter(one, [0]);
    const others = Array.from({ length: 8 }, () => request());
    for (const one of others) b.level.enter(one, [0]);
    for (const one of running) a.level.finish(one);
    b.retry();
    a.retry();
    expect(others.filter(({ state }) => state === 'seated')).toHaveLength(2);
    expect(more.filter(({ state }) => state === 'seated')).toHaveLength(2);
  });

  test('lose the seats of a thread that ended', () => {
    const [a, b] = twoThreads(1);
    b.level.enter(request(), [0]);
    expect(a.level.enter(request(), [0])).toBe('waiting');
    a.counts.clear(1);
    a.retry();
    expect(a.level.waiting).toBe(0);
  });

  test('know the demand of all, and follow the limit of the main thread', () => {
    const layout = { ...seatColumns, rows: 2 };
    const { memory } = new SharedCounts(layout);
    const [a, b] = [0, 1].map((row) => new LevelSeats(new SharedCounts(layout, row, memory), 0, 'level'));
    a?.exchangeDemand({ average: 1.5, variance: 4, max: 3 });
    expect(b?.exchangeDemand({ average: 2, variance: 5, max: 4 })).toEqual({ average: 3.5, variance: 9, max: 7 });
    b?.setLimit(7);
    expect(a?.limit).toBe(0);
    a?.setLimit(5);
    expect(b?.limit).toBe(5);
  });

  test('agree on different counts for different levels', () => {
    const layout = { ...seatColumns, rows: 2 };
    const { memory } = new SharedCounts(layout);
    const seatsOf = (row: number, level: string) => new LevelSeats(new SharedCounts(layout, row, memory), 0, level);
    const [a, b] = [seatsOf(0, 'a'), seatsOf(0, 'b')];
    seatsOf(1, 'b').take(2, 5);
    seatsOf(1, 'a').take(1, 5);
    expect([a.inUse, b.inUse]).toEqual([1, 2]);
  });
});

describe('virtual time that has become large', () => {
  /** One seat in use advances virtual time by a second each second. */
  const yearsUntil = (seatSeconds: number) => seatSeconds * 1000;

  test('is wound back with the queues, and the order of requests stays', () => {
    const { clock, level } = levelOf({}, 1);
    const first = request();
    level.enter(first, [0]);
    clock.advance(yearsUntil(2 * epochSeatSeconds - 10));
    level.finish(first);
    const [running, early, late] = [request(), request(), request({ initialSeats: 1 })];
    level.enter(running, [1]);
    level.enter(early, [2]);
    clock.advance(5000);
    level.enter(late, [3]);
    expect(level.epochs).toEqual({ sound: 0, unsound: 0 });
    clock.advance(60_000);
    level.finish(running);
    expect(level.epochs).toEqual({ sound: 1, unsound: 0 });
    expect(level.progress).toBeLessThan(epochSeatSeconds + 100);
    expect([early.state, late.state]).toEqual(['seated', 'waiting']);
    expect(Math.min(...level.nextStarts)).toBeGreaterThan(epochSeatSeconds - 100);
    level.finish(early);
    expect(late.state).toBe('seated');
  });

  test('a queue that is an epoch behind is reported', () => {
    const { clock, level } = levelOf({}, 2);
    level.enter(request(), [0]);
    clock.advance(yearsUntil(2 * epochSeatSeconds + 10));
    level.enter(request(), [1]);
    expect(level.epochs).toEqual({ sound: 0, unsound: 1 });
  });
});
