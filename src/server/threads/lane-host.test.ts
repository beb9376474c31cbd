import { MessageChannel, MessagePort } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import type { Exchange } from '../../meta/exchange.ts';
import { LaneService } from '../../threads/lane-service.ts';
import { PortCalls } from '../../threads/port-calls.ts';
import type { MainCalls, ServingCalls } from '../../threads/protocol.ts';
import type { LoggedConfig } from '../server-log.ts';
import { LaneHost } from './lane-host.ts';
import type { ServerThread, ThreadGroup } from './thread-group.ts';

/** Lanes that answer requests when the test lets them; those of `broken` end before they get a port. */
function lanes({ broken = [] }: { readonly broken?: readonly number[] } = {}) {
  const served: MessagePort[] = [];
  const ends = new Map<ServerThread, () => void>();
  const answers: (() => void)[] = [];
  let started = 0;
  const start = async (index: number) => {
    const number = ++started;
    const service = new LaneService(async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return { status: 200, headers: {} };
    });
    const { port1, port2 } = new MessageChannel();
    const calls = new PortCalls<MainCalls, ServingCalls>(port1, {} as never);
    const lane = new PortCalls<ServingCalls, MainCalls>(port2, {
      serveLane: (port: MessagePort) => {
        served.push(port);
        service.serve(port);
      },
      laneIdleMs: () => service.idleMs,
    } as never);
    const exited = new Promise<undefined>((resolve) => {
      port1.on('close', () => setImmediate(resolve, undefined));
    });
    const end = () => {
      service.close();
      lane.close();
    };
    if (broken.includes(number)) end();
    const thread = { index, calls, exited, startedAt: 0, use: async () => ({ load: 0, heapBytes: 0 }) };
    ends.set(thread as unknown as ServerThread, end);
    return thread;
  };
  return {
    served,
    answers,
    start,
    get started() {
      return started;
    },
    async end(thread: ServerThread) {
      ends.get(thread)?.();
      await thread.exited;
    },
  };
}

const config = { log: { error: () => {} } } as unknown as LoggedConfig;
const hostOf = (group: object) => new LaneHost(group as ThreadGroup, config, 1);

afterEach(() => {
  vi.useRealTimers();
});

test('a lane that ends before it has the port is none, however it ends', async () => {
  const group = lanes({ broken: [1] });
  const host = hostOf(group);
  await expect(host.connect()).rejects.toThrow('is started again later');
  expect(group.served).toEqual([]);
  await expect.poll(() => host.connect()).toBeInstanceOf(MessagePort);
  expect(group.served).toHaveLength(1);
  host.close();
  await expect(host.connect()).rejects.toThrow('the server stops');
  for (const port of group.served) port.close();
});

const request = {
  ...{ method: 'POST', path: '/', rawQuery: '', address: '127.0.0.1', headers: [], body: new Uint8Array(1) },
  moved: { user: { name: 'ann', groups: [] } } as unknown as Exchange,
};

/** Passes time in steps, after each of which the host has its answers from the lane. */
async function pass(seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at++) {
    vi.advanceTimersByTime(1000);
    for (let step = 0; step < 5; step++) await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a lane ends a minute after its last request, and the next large request starts another one', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const group = lanes();
  const host = hostOf(group);
  const port = await host.connect();
  let isClosed = false;
  port.on('close', () => {
    isClosed = true;
  });
  // news of its end come with the messages
  port.start();
  port.postMessage({ id: 1, request });
  // the request is under way
  await pass(90);
  expect([group.answers.length, isClosed]).toEqual([1, false]);
  group.answers[0]?.();
  await pass(55);
  expect(isClosed).toBe(false);
  expect(host.use?.thread).toBe('lane');
  await pass(15);
  expect(isClosed).toBe(true);
  expect(host.use).toBeUndefined();
  expect(group.started).toBe(1);
  const next = await host.connect();
  expect(group.started).toBe(2);
  host.close();
  for (const one of [next, ...group.served]) one.close();
});
