// A thread that moves requests and a lane that serves them, at the two ends of a port.

import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type ApiRequest,
  type ApiResponse,
  type BodyStream,
  Exchange,
  type Handler,
  type Sink,
} from '../meta/exchange.ts';
import { clientGone } from '../meta/status.ts';
import { LaneClient } from './lane-client.ts';
import { LaneService } from './lane-service.ts';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

const headers = [
  ['content-type', 'application/json'],
  ['content-type', 'text/plain'],
  ['accept', 'a'],
  ['accept', 'b'],
  ['authorization', 'Bearer secret'],
  ['cookie', 'secret'],
] as const;

const request = (path: string, body = 'body'): ApiRequest => ({
  ...{ method: 'POST', path, rawQuery: 'dryRun=All', peer: { address: '127.0.0.9' } },
  header: () => undefined,
  hasHeader: () => false,
  headers: () => headers,
  readBody: async () => Buffer.from(body),
});

async function exchangeOf(path: string, user = 'jane'): Promise<Exchange> {
  const exchange = new Exchange(request(path), 'some-id', 12);
  exchange.user = { name: user, groups: ['g'] };
  exchange.deadline = 99;
  await exchange.readBody(100);
  return exchange;
}

/** A client of a lane; each connection that it makes is to its own lane. */
function laneOf(handler: Handler, limits?: ConstructorParameters<typeof LaneService>[1]) {
  const lanes: { readonly service: LaneService; end(): void }[] = [];
  const errors: unknown[] = [];
  const client = new LaneClient({
    largeBytes: 10,
    async connect() {
      const { port1, port2 } = new MessageChannel();
      const service = new LaneService(handler, limits);
      service.serve(port2);
      ports.push(port1, port2);
      lanes.push({ service, end: () => port2.close() });
      return port1;
    },
    onError: (error) => errors.push(error),
  });
  return { client, lanes, errors };
}

const done: ApiResponse = { status: 200, headers: {}, body: 'done' };

describe('a moved request', () => {
  test('arrives with its headers, its body and the verified identity, and without credentials', async () => {
    const seen: unknown[] = [];
    const { client } = laneOf(async (moved) => {
      const { method, path, rawQuery, peer } = moved;
      const pairs = moved.headers();
      const [type, accept] = [moved.header('content-type'), moved.header('accept')];
      const body = Buffer.from(await moved.readBody(100)).toString();
      seen.push({ method, path, rawQuery, peer, pairs, type, accept, body, moved: moved.moved });
      return { ...done, headers: { 'x-one': ['1', '2'] } };
    });
    const exchange = await exchangeOf('/a');
    exchange.impersonator = { name: 'boss', groups: [], extra: { scope: ['all'] } };
    exchange.annotate('key', 'value');
    expect(await client.serve(exchange)).toEqual({ ...done, headers: { 'x-one': ['1', '2'] }, isFinished: true });
    expect(seen).toEqual([
      {
        ...{ method: 'POST', path: '/a', rawQuery: 'dryRun=All', peer: { address: '127.0.0.9' } },
        pairs: headers.slice(0, 4),
        ...{ type: 'application/json', accept: 'a, b', body: 'body' },
        moved: {
          ...{ id: 'some-id', startedAt: 12, deadline: 99, user: { name: 'jane', groups: ['g'] } },
          impersonator: { name: 'boss', groups: [], extra: { scope: ['all'] } },
          ...{ impersonationConstraint: undefined, annotations: { key: 'value' } },
        },
      },
    ]);
  });

  test('whose body is longer than the lane reads is refused with 413', async () => {
    const { client } = laneOf(async (moved) => {
      await expect(moved.readBody(3)).rejects.toMatchObject({ code: 413 });
      return done;
    });
    expect((await client.serve(await exchangeOf('/a'))).status).toBe(200);
  });

  test('is known to be sent to the store as soon as it is', async () => {
    let end = (_: ApiResponse) => {};
    const { client } = laneOf((moved) => {
      moved.onCommit?.();
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    const exchange = await exchangeOf('/a');
    const answer = client.serve(exchange);
    await expect.poll(() => exchange.isCommitted).toBe(true);
    end(done);
    await answer;
  });

  test('ends in the lane when its client leaves', async () => {
    let isGone = false;
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { client } = laneOf(
      (moved) =>
        new Promise((resolve) => {
          begin();
          moved.onGone?.({
            onGone() {
              isGone = true;
              resolve(done);
            },
          });
        }),
    );
    const exchange = await exchangeOf('/a');
    const answer = client.serve(exchange);
    await begun;
    exchange.end(clientGone());
    await answer;
    expect(isGone).toBe(true);
  });

  test('waits in turn with those of other users; what waits has a limit of bytes, beyond which the answer is 429', async () => {
    const order: string[] = [];
    // of small requests, each counts as 16 KiB
    const limits = { maxBytesPerUser: 30 * 16 * 1024, maxWaitMs: 20_000, maxRunning: 4, maxRunningPerUser: 4 };
    const { client } = laneOf(async ({ moved }) => {
      order.push(moved?.user.name ?? '');
      await new Promise((resolve) => setImmediate(resolve));
      return done;
    }, limits);
    const all = [...Array.from({ length: 60 }, () => 'busy'), 'other'];
    const answers = await Promise.allSettled(
      all.map(async (user) => {
        const exchange = await exchangeOf('/a', user);
        return client.serve(exchange);
      }),
    );
    const refused = answers.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(30);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 429 } });
    expect(order.indexOf('other')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('other')).toBeLessThan(10);
  });
});

describe('an answer in pieces', () => {
  const piece = Buffer.alloc(700_000, 'x');

  /** Takes pieces when the test lets it. */
  class SlowSink implements Sink {
    received = 0;
    isGone = false;
    #wake: () => void = () => {};
    stop: () => void = () => {};

    write(chunk: Uint8Array | string): boolean {
      this.received += chunk.length;
      return false;
    }

    drained(): Promise<void> {
      return new Promise((resolve) => {
        this.#wake = resolve;
      });
    }

    onStop(stop: () => void): void {
      this.stop = stop;
    }

    take(): void {
      this.#wake();
    }

    leave(): void {
      this.isGone = true;
      this.#wake();
      this.stop();
    }

    end(): void {}
    cut(): void {}
  }

  const bodyOf = ({ body }: ApiResponse) => body as BodyStream;

  test('is made as fast as its client takes it', async () => {
    let written = 0;
    const { client } = laneOf(async () => ({
      ...{ status: 200, headers: {}, expectedLength: 20 * piece.length },
      body: async (sink) => {
        for (; written < 20; written++) if (!sink.write(piece)) await sink.drained();
      },
    }));
    const answer = await client.serve(await exchangeOf('/a'));
    expect(answer.expectedLength).toBe(20 * piece.length);
    const sink = new SlowSink();
    let isOver = false;
    const sent = bodyOf(answer)(sink)?.then(() => {
      isOver = true;
    });
    await expect.poll(() => sink.received).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(written).toBeLessThan(6);
    await expect
      .poll(() => {
        sink.take();
        return isOver;
      })
      .toBe(true);
    await sent;
    expect(sink.received).toBe(20 * piece.length);
  });

  test('ends in the lane when its client leaves', async () => {
    let hasStopped = false;
    const { client, lanes } = laneOf(async () => ({
      ...{ status: 200, headers: {} },
      body: async (sink) => {
        while (!sink.isGone) if (!sink.write(piece)) await sink.drained();
        hasStopped = true;
      },
    }));
    const sink = new SlowSink();
    const sent = bodyOf(await client.serve(await exchangeOf('/a')))(sink);
    await expect.poll(() => sink.received).toBeGreaterThan(0);
    sink.leave();
    await sent;
    await expect.poll(() => hasStopped).toBe(true);
    await expect.poll(() => lanes[0]?.service.idleMs).toBeGreaterThan(0);
  });

  test('is broken off where the lane fails amid it', async () => {
    const { client } = laneOf(async () => ({
      ...{ status: 200, headers: {} },
      body: async (sink) => {
        sink.write('begin');
        throw new Error('the disk is gone');
      },
    }));
    const sent = bodyOf(await client.serve(await exchangeOf('/a')))({
      ...{ write: () => true, drained: async () => {}, isGone: false, onStop() {}, end() {}, cut() {} },
    });
    await expect(sent).rejects.toThrow('the disk is gone');
  });
});

describe('a lane that ends', () => {
  test('before it begins with a request: the request goes to the next one', async () => {
    const { client, lanes } = laneOf(async () => done);
    const exchange = await exchangeOf('/a');
    const answer = client.serve(exchange);
    await expect.poll(() => lanes.length).toBe(1);
    lanes[0]?.end();
    expect((await answer).status).toBe(200);
    expect(lanes).toHaveLength(2);
  });

  test('amid a request: the client learns whether its write was sent to the store', async () => {
    const begun: ApiRequest[] = [];
    const { client, lanes } = laneOf((moved) => {
      begun.push(moved);
      if (moved.path === '/committed') moved.onCommit?.();
      return new Promise(() => {});
    });
    const [one, other] = [await exchangeOf('/committed'), await exchangeOf('/not')];
    const answers = [client.serve(one), client.serve(other)].map((answer) => answer.catch((error: unknown) => error));
    await expect.poll(() => begun.length).toBe(2);
    await expect.poll(() => one.isCommitted).toBe(true);
    lanes[0]?.end();
    const texts = (await Promise.all(answers)).map(String);
    expect(texts[0]).toContain('its write was sent to the store and may have been made');
    expect(texts[1]).toContain('ended before anything was written');
  });

  test('a lane that cannot be started is a 503, and is tried again', async () => {
    let attempts = 0;
    const errors: unknown[] = [];
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const client = new LaneClient({
      largeBytes: 10,
      async connect() {
        if (attempts++ === 0) throw new Error('no memory');
        new LaneService(async () => done).serve(port2);
        return port1;
      },
      onError: (error) => errors.push(error),
    });
    await expect(client.serve(await exchangeOf('/a'))).rejects.toMatchObject({ code: 503 });
    expect(errors).toHaveLength(1);
    expect((await client.serve(await exchangeOf('/a'))).status).toBe(200);
  });

  test('a service that closes closes its ports', async () => {
    const { client, lanes } = laneOf(async () => done);
    await client.serve(await exchangeOf('/a'));
    const closed = once(ports[0] as MessagePort, 'close');
    lanes[0]?.service.close();
    await closed;
  });
});
