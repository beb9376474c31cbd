// What the pipeline itself does: time-outs, clients that leave, limits, errors that no stage expected.

import { describe, expect, test } from 'vitest';
import { Deadlines } from '../base/time/deadlines.ts';
import { Routes } from '../discovery/routes.ts';
import type { Services } from '../handlers/services.ts';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiRequest, ApiResponse, BodyStream, Exchange, GoneListener, Sink } from '../meta/exchange.ts';
import { badRequest } from '../meta/status.ts';
import type { Resources } from '../registry/resources.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { InFlight, type InFlightLimits } from './limit.ts';
import { createPipeline } from './pipeline.ts';

type Answer = (exchange: Exchange) => Promise<ApiResponse> | ApiResponse;

const plain: ApiResponse = { status: 200, headers: {}, body: 'fine' };

class TestRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly peer;
  leave: () => void = () => {};

  constructor(target: string, { method = 'GET', groups = [] as readonly string[] } = {}) {
    const [path = '', rawQuery = ''] = target.split('?');
    this.method = method;
    this.path = path;
    this.rawQuery = rawQuery;
    this.peer = { address: '', trustedUser: { name: 'tester', groups } };
  }

  header(): undefined {}
  hasHeader(): boolean {
    return false;
  }
  headers(): [] {
    return [];
  }
  async readBody(): Promise<Uint8Array> {
    return new Uint8Array();
  }
  onGone(listener: GoneListener): void {
    this.leave = () => listener.onGone();
  }
}

function pipelineOf(answer: Answer, limits: Partial<InFlightLimits> = {}) {
  const clock = new FakeClock();
  const routes = new Routes();
  routes.add('/work', answer);
  const seen = { answers: [] as number[], unexpected: [] as unknown[], aborted: 0, late: [] as string[] };
  const inFlight = new InFlight({ maxRequestsInflight: 0, maxMutatingRequestsInflight: 0, ...limits });
  const handler = createPipeline({
    authenticators: [(request) => request.peer.trustedUser],
    access: { decide: async () => ({ kind: 'allow' }) } as never,
    dialect: kubernetes,
    audit: undefined,
    clock,
    requestTimeoutMs: 60_000,
    inFlight,
    resources: { find: () => undefined, hasGroup: () => false } as unknown as Resources,
    routes,
    services: { deadlines: new Deadlines(clock) } as unknown as Services,
    onRequest: () => {},
    onAnswer: (_, { status }) => void seen.answers.push(status),
    onAborted: () => void seen.aborted++,
    onLate: (outcome) => void seen.late.push(outcome),
    onUnexpected: (_, error) => void seen.unexpected.push(error),
  });
  return { clock, inFlight, seen, ask: async (request: TestRequest) => handler(request) };
}

/** Work that goes on until it is told to end, and what it was told. */
function endless() {
  const ended: unknown[] = [];
  let begun = () => {};
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const answer: Answer = (exchange) =>
    new Promise((_, reject) => {
      exchange.signal.addEventListener('abort', () => {
        ended.push(exchange.signal.reason);
        reject(exchange.signal.reason as Error);
      });
      begun();
    });
  return { answer, ended, started };
}

describe('a request that takes too long', () => {
  test('is answered with 504, and its work is told to end', async () => {
    const { answer, ended, started } = endless();
    const { ask, clock, seen } = pipelineOf(answer);
    const asked = ask(new TestRequest('/work'));
    await started;
    clock.advance(60_000);
    expect((await asked).status).toBe(504);
    expect(ended).toEqual([expect.objectContaining({ code: 504 })]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seen).toEqual({ answers: [504], unexpected: [], aborted: 0, late: ['error'] });
  });

  test('ends earlier where the client says so', async () => {
    const { answer, started } = endless();
    const { ask, clock } = pipelineOf(answer);
    const asked = ask(new TestRequest('/work?timeout=2s'));
    await started;
    clock.advance(2000);
    expect((await asked).status).toBe(504);
  });

  test('says so when its write was sent to the store already', async () => {
    const { answer, started } = endless();
    const { ask, clock } = pipelineOf((exchange) => {
      exchange.commit();
      return answer(exchange);
    });
    const asked = ask(new TestRequest('/work'));
    await started;
    clock.advance(60_000);
    expect(String((await asked).body)).toContain('its write was sent to the store and may have been made');
  });

  test('is answered once, though its work ends later', async () => {
    let finish: (response: ApiResponse) => void = () => {};
    let begun = () => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const { ask, clock, seen } = pipelineOf(
      () =>
        new Promise((resolve) => {
          finish = resolve;
          begun();
        }),
    );
    const asked = ask(new TestRequest('/work'));
    await started;
    clock.advance(60_000);
    await asked;
    finish(plain);
    await new Promise((resolve) => setImmediate(resolve));
    expect([seen.answers, seen.late]).toEqual([[504], ['ok']]);
  });
});

test('a timeout that is no length of time is refused', async () => {
  const answer = await pipelineOf(() => plain).ask(new TestRequest('/work?timeout=soon'));
  expect(answer.status).toBe(400);
  expect(String(answer.body)).toContain('invalid timeout specified in the request URL');
});

test('the work of a client that left is told to end', async () => {
  const { answer, ended, started } = endless();
  const { ask } = pipelineOf(answer);
  const request = new TestRequest('/work');
  const asked = ask(request);
  await started;
  request.leave();
  expect((await asked).status).toBe(499);
  expect(ended).toHaveLength(1);
});

test('no stage is run after one during which the client left', async () => {
  let served = false;
  const request = new TestRequest('/work');
  const { ask } = pipelineOf(() => {
    served = true;
    return plain;
  });
  const asked = ask(request);
  request.leave();
  expect((await asked).status).toBe(499);
  expect(served).toBe(false);
});

test('an error that no stage expected is a 500 without details', async () => {
  const { ask, seen } = pipelineOf(() => {
    throw new Error('a secret');
  });
  const answer = await ask(new TestRequest('/work'));
  expect(answer.status).toBe(500);
  expect(String(answer.body)).not.toContain('a secret');
  expect(seen.unexpected).toHaveLength(1);
});

describe('requests under way', () => {
  test('are limited for each kind, except for administrators', async () => {
    const { answer, started } = endless();
    const { ask, inFlight } = pipelineOf(answer, { maxRequestsInflight: 1, maxMutatingRequestsInflight: 1 });
    const first = new TestRequest('/work');
    const asked = ask(first);
    await started;
    const refused = await ask(new TestRequest('/work'));
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    const writer = new TestRequest('/work', { method: 'POST' });
    const writing = ask(writer);
    const admin = new TestRequest('/work', { groups: ['system:masters'] });
    const administering = ask(admin);
    await new Promise((resolve) => setImmediate(resolve));
    expect(inFlight.counts).toEqual({ readOnly: 1, mutating: 1 });
    for (const request of [first, writer, admin]) request.leave();
    expect((await Promise.all([asked, writing, administering])).map(({ status }) => status)).toEqual([499, 499, 499]);
    expect(inFlight.counts).toEqual({ readOnly: 0, mutating: 0 });
  });

  test('are given back however they end', async () => {
    const { ask, inFlight } = pipelineOf(() => {
      throw badRequest('no');
    });
    await ask(new TestRequest('/work'));
    expect(inFlight.counts.readOnly).toBe(0);
  });
});

describe('an answer that has begun', () => {
  const stream =
    (body: BodyStream): Answer =>
    () => ({ status: 200, headers: {}, body });
  const send = async (body: BodyStream, isGone: boolean) => {
    const { seen, ask } = pipelineOf(stream(body));
    const answer = await ask(new TestRequest('/work'));
    const sink = { isGone } as Sink;
    await (answer.body as BodyStream)(sink)?.catch(() => {});
    return seen.aborted;
  };

  test.each<[string, BodyStream, boolean, number]>([
    ['sent to its end', async () => {}, false, 0],
    ['left by its client', async () => {}, true, 1],
    ['broken off', () => Promise.reject(new Error('the other server is gone')), false, 1],
  ])('and is %s', async (_, body, isGone, aborted) => {
    expect(await send(body, isGone)).toBe(aborted);
  });
});
