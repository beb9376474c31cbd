// Random writes and reads on connections that several threads serve, some by the lane, while threads end: no read misses what
// was acknowledged before, and watches have every revision once and in order. `crash.test.ts` does so while the process dies.

import { expect, test } from 'vitest';
import type { Reached } from '../crash/clients.ts';
import { checkedLoad } from '../crash/run.ts';
import { eventually } from './eventually.ts';
import { secureCall } from './secure-call.ts';
import { type Client, type Threads, withThreads } from './several-threads.ts';

/** Clients that connect again when the thread that served them has ended. */
class Connections implements Reached {
  readonly #threads: Threads;
  readonly #clients: Client[];
  #requests = 0;

  constructor(threads: Threads, count: number) {
    this.#threads = threads;
    this.#clients = Array.from({ length: count }, () => threads.connect());
  }

  async call(method: string, path: string, body?: object) {
    try {
      const answer = await this.#next().call(method, path, body);
      return { status: answer.status, body: JSON.stringify(answer.body) };
    } catch {
      return undefined;
    }
  }

  async lines(path: string, onLine: (line: string) => void): Promise<void> {
    await this.#next()
      .watch(path, (event) => onLine(JSON.stringify(event)))
      .catch(() => {});
  }

  #next(): Client {
    const at = this.#requests++ % this.#clients.length;
    if (this.#clients[at]?.isClosed) this.#clients[at] = this.#threads.connect();
    return this.#clients[at] as Client;
  }
}

/** Ends a thread, and waits until all serve again. */
async function endOne({ workers, server }: Threads, ended: { count: number }): Promise<void> {
  const running = workers.filter(({ threadId }) => threadId > 0);
  await running[Math.floor(Math.random() * running.length)]?.terminate();
  ended.count++;
  await eventually(async () => expect((await secureCall(server, 'GET', '/readyz')).status).toBe(200));
}

test.each([
  ['every write is served by the thread that received it', {}],
  ['every write is served by the lane', { largeRequestBytes: 1 }],
])('three threads of which some end are one server, where %s', (_, options) =>
  withThreads(
    3,
    async (threads) => {
      const ended = { count: 0 };
      const report = await checkedLoad(new Connections(threads, 9), { durationMs: 6000 }, () => endOne(threads, ended));
      expect(report.problems).toEqual([]);
      expect(ended.count).toBeGreaterThanOrEqual(2);
      expect(report.acknowledged).toBeGreaterThan(20);
      expect(report.events).toBeGreaterThanOrEqual(report.acknowledged);
    },
    { ...options, controllers: ['*', '-root-ca-cert-publisher'] },
  ),
);
