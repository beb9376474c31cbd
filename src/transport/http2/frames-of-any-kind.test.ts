// Frames of any kind, in any order, from clients that otherwise keep to the protocol: the server goes on, and forgets them.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { field, frame, greeting } from '../../testing/http2-bytes.ts';
import { get, post, TestListener } from '../../testing/raw-http2-client.ts';
import { testedHttp2 } from '../../testing/tested-http2.ts';

let listener: TestListener;

beforeAll(async () => {
  listener = await new TestListener().listen();
});
afterAll(() => listener.close());

const word = (value: number) => String.fromCharCode(...[24, 16, 8, 0].map((bits) => (value >>> bits) & 255));
/** What is said of the streams so far, the newest of which is `newest`. */
type Saying = (newest: number) => Buffer;
const back = fc.constantFrom(0, 0, 0, 2, 4);
const bytes = fc.constantFrom(1, 5, 70_000);
const fields = fc.constantFrom(get, get, post, `\x40\x01a\x01b${get.slice(3)}`, post + field('content-length', '5'));
const asking = fc.tuple(fields, fc.constantFrom(4, 5)).map(
  ([block, flags]): Saying =>
    (newest) =>
      frame(1, flags, newest, block),
);
const harmless = fc.oneof(
  fc.tuple(back, fc.constantFrom(0, 1, 8), fc.constantFrom('', '\0', 'abc', 'abcde')).map(
    ([by, flags, data]): Saying =>
      (newest) =>
        frame(0, flags, Math.max(1, newest - by), data),
  ),
  fc.tuple(back, bytes).map(
    ([by, more]): Saying =>
      (newest) =>
        frame(8, 0, Math.max(1, newest - by), word(more)),
  ),
  back.map(
    (by): Saying =>
      (newest) =>
        frame(3, 0, Math.max(1, newest - by), word(8)),
  ),
  back.map(
    (by): Saying =>
      (newest) =>
        frame(1, 5, Math.max(1, newest - by), field('a', 'b')),
  ),
  bytes.map(
    (more): Saying =>
      () =>
        frame(8, 0, 0, word(more)),
  ),
  fc.constantFrom(0, 1, 70_000).map(
    (first): Saying =>
      () =>
        frame(4, 0, 0, `\0\x04${word(first)}`),
  ),
  fc.constantFrom(0, 100, 5000).map(
    (size): Saying =>
      () =>
        frame(4, 0, 0, `\0\x01${word(size)}`),
  ),
  fc.constantFrom<Saying>(
    () => frame(6, 0, 0, '12345678'),
    () => frame(7, 0, 0, '\0\0\0\0\0\0\0\0'),
    () => frame(2, 0, 1, '\0\0\0\0\0'),
    () => frame(77, 0, 3),
  ),
);
const nonsense = fc.tuple(fc.nat({ max: 10 }), fc.nat({ max: 255 }), back, fc.string({ maxLength: 10 })).map(
  ([type, flags, by, payload]): Saying =>
    (newest) =>
      frame(type, flags, Math.max(0, newest - by), payload),
);
const saying = fc.oneof({ arbitrary: harmless, weight: 20 }, { arbitrary: nonsense, weight: 1 });
const breath = fc.array(fc.tuple(asking, fc.array(saying, { maxLength: 4 })), { maxLength: 4 });

test('the server goes on', async () => {
  let begun = 0;
  listener.handler = (request) => {
    begun++;
    if (begun % 3 === 0) return { status: 200, headers: {}, body: Buffer.alloc(100_000) };
    if (begun % 3 === 1)
      return request.readBody(100).then(
        (body) => ({ status: 200, headers: {}, body }),
        () => ({ status: 400, headers: {} }),
      );
    return {
      status: 200,
      headers: {},
      body: (sink) => {
        sink.write('watching');
        sink.onStop(() => sink.end());
        return undefined;
      },
    };
  };
  await fc.assert(
    fc.asyncProperty(fc.array(breath, { maxLength: 4 }), async (breaths) => {
      const client = await listener.open();
      client.send(greeting);
      let newest = -1;
      for (const requests of breaths) {
        for (const [request, sayings] of requests) {
          newest += 2;
          if (!client.isClosed) client.send(...[request, ...sayings].map((say) => say(newest)));
        }
        await new Promise(setImmediate);
      }
      client.socket.destroy();
    }),
    // each with few: Node's process has ended by itself in long runs (decision 14)
    fuzzRuns(testedHttp2() === 'node' ? 30 : 300),
  );
  const last = await listener.open();
  listener.handler = () => ({ status: 200, headers: {}, body: 'fine' });
  last.send(greeting, frame(1, 5, 1, get));
  await last.until(() => last.isEnded(1));
  expect(last.body(1).toString()).toBe('fine');
  // what they asked for is over, and all that was told to stop has stopped
  while (listener.active > 0) await new Promise(setImmediate);
  expect([listener.live.size, listener.errors]).toEqual([0, []]);
  expect(begun).toBeGreaterThan(20);
});
