// Requests that a client takes back: free where they were of use, slowed down where they are work that is thrown away.

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ApiRequest, ApiResponse, Sink } from '../../meta/exchange.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { field, frame, greeting, word } from '../../testing/http2-bytes.ts';
import { get, type RawClient, TestListener } from '../../testing/raw-http2-client.ts';

const requestFrame = (stream: number, block = get) => frame(1, 5, stream, block);
const reset = (stream: number) => frame(3, 0, stream, word(8));

let clock: FakeClock;
let listener: TestListener;
/** Requests that were handled, and those of them that are over. */
let [begun, gone] = [0, 0];
let sinks: Sink[] = [];
let nextId = 1;

beforeEach(async () => {
  clock = new FakeClock();
  listener = await new TestListener({ clock }).listen();
  [begun, gone, sinks, nextId] = [0, 0, [], 1];
});
afterEach(() => listener.close());

/** Answers each request with the outcome of `answer`, and counts it. */
function handle(answer: () => ApiResponse | Promise<never>): void {
  listener.handler = (request: ApiRequest) => {
    begun++;
    request.onGone?.({ onGone: () => gone++ });
    return answer();
  };
}

const never = () => new Promise<never>(() => {});

const watch = (): ApiResponse => ({
  status: 200,
  headers: {},
  body: (sink) => {
    sinks.push(sink);
    sink.onStop(() => gone++);
    return undefined;
  },
});

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

async function open(): Promise<RawClient> {
  const client = await listener.open();
  client.send(greeting);
  await client.until(() => client.of(0, 4).length === 2);
  return client;
}

/** Makes requests, fifty at a time, and takes them back when `ageMs` have gone by. */
async function cancel(client: RawClient, count: number, ageMs = 0): Promise<void> {
  for (let made = 0; made < count; made += 50) {
    const [begunBefore, goneBefore] = [begun, gone];
    const ids = Array.from({ length: 50 }, () => (nextId += 2));
    client.send(...ids.map((id) => requestFrame(id)));
    await until(() => begun === begunBefore + 50);
    clock.advance(ageMs);
    client.send(...ids.map(reset));
    await until(() => gone === goneBefore + 50);
  }
}

/** Whether a ping is answered before time goes by. */
async function isRead(client: RawClient): Promise<boolean> {
  let isAnswered = false;
  const answered = client.settled();
  answered.then(
    () => {
      isAnswered = true;
    },
    () => {},
  );
  for (let tick = 0; tick < 100 && !isAnswered; tick++) await new Promise((resolve) => setTimeout(resolve, 1));
  return isAnswered;
}

test('requests whose answer has begun cost nothing when they are taken back', async () => {
  listener.handler = () => ({ status: 200, headers: {}, body: 'x'.repeat(100) });
  const client = await open();
  // a part of each answer waits for the client
  client.send(frame(4, 0, 0, Buffer.concat([Buffer.from('\0\x04'), word(50)])));
  for (let from = 1; from < 2000; from += 200) {
    const ids = Array.from({ length: 100 }, (_, at) => from + 2 * at);
    client.send(...ids.map((id) => requestFrame(id)));
    await client.until(() => ids.every((id) => client.body(id).length === 50));
    client.send(...ids.map(reset));
  }
  expect(await isRead(client)).toBe(true);
});

test('watches that ran for a second cost nothing when they are ended', async () => {
  handle(watch);
  const client = await open();
  await cancel(client, 2000, 1000);
  expect(await isRead(client)).toBe(true);
});

test('watches that have just begun are taken back as other requests are', async () => {
  handle(watch);
  const client = await open();
  await cancel(client, 200);
  expect(await isRead(client)).toBe(true);
  await cancel(client, 50);
  expect(await isRead(client)).toBe(false);
});

test('a client that takes back more than 200 requests at once is not read for a while, and its watches go on', async () => {
  handle(watch);
  const client = await open();
  client.send(requestFrame(1, get + field('a', 'b')));
  await until(() => sinks.length === 1);
  handle(never);
  await cancel(client, 250);
  clock.advance(400);
  expect(await isRead(client)).toBe(false);
  sinks[0]?.write('event');
  await client.until(() => client.body(1).toString() === 'event');
  clock.advance(200);
  expect(await isRead(client)).toBe(true);
  expect([client.code(0), client.isEnded(1)]).toEqual([undefined, false]);
});
