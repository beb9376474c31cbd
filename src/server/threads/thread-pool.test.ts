import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { LoggedConfig } from '../server-log.ts';
import type { ThreadGroup } from './thread-group.ts';
import { ThreadPool } from './thread-pool.ts';

/** A pool whose threads only count their connections, and how many each of them has: the main thread first. */
async function startPool(threads: number) {
  const doors = Array.from({ length: threads - 1 }, () => ({
    connections: 0,
    give() {
      this.connections++;
    },
  }));
  const ends = new Map<number, () => void>();
  const group = {
    get: () => undefined,
    start: async (index: number) => ({
      ...{ index, door: doors[index - 1], startedAt: performance.now() },
      exited: new Promise<undefined>((resolve) => ends.set(index, () => resolve(undefined))),
    }),
  };
  const config = { log: { error() {}, info() {} } } as unknown as LoggedConfig;
  const limits = { atStart: threads, most: threads, options: {}, largeBytes: undefined };
  const pool = new ThreadPool({ config, threads: limits, group: group as unknown as ThreadGroup, shed() {} }, []);
  await pool.start();
  const own: EventEmitter[] = [];
  const connect = (count: number) => {
    for (let at = 0; at < count; at++) {
      const socket = new EventEmitter();
      if (!pool.pass(socket as Socket)) own.push(socket);
    }
    return [own.length, ...doors.map(({ connections }) => connections)];
  };
  return { pool, connect, own, doors, end: (index: number) => ends.get(index)?.() };
}

test('a connection gets to the thread that has the fewest, and the main thread, which writes, gets a few less', async () => {
  const { pool, connect } = await startPool(2);
  expect(connect(1)).toEqual([0, 1]);
  expect(connect(15)).toEqual([7, 9]);
  pool.close();
});

test('connections that end are replaced first, and a thread that ends gets none', async () => {
  const { pool, connect, own, doors, end } = await startPool(3);
  expect(connect(30)).toEqual([8, 11, 11]);
  for (const socket of own.splice(4)) socket.emit('close');
  expect(connect(3)).toEqual([7, 11, 11]);
  end(1);
  await new Promise((resolve) => setImmediate(resolve));
  expect(connect(4)[1]).toBe(11);
  pool.close();
  const before = doors.map(({ connections }) => connections);
  expect(connect(5).slice(1)).toEqual(before);
});
