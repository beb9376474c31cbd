// Flow control against a naive model: whatever windows a client gives, and however it changes them, the server sends no byte more than
// it may and, in the end, every byte.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { frame, greeting } from '../../testing/http2-bytes.ts';
import { get, type RawClient, TestListener } from '../../testing/raw-http2-client.ts';

let listener: TestListener;

beforeAll(async () => {
  listener = await new TestListener().listen();
});
afterAll(() => listener.close());

const word = (value: number) => String.fromCharCode(...[24, 16, 8, 0].map((bits) => (value >>> bits) & 255));
const usualWindow = 65_535;

type Step =
  | { readonly kind: 'initial'; readonly bytes: number }
  | { readonly kind: 'connection'; readonly bytes: number }
  | { readonly kind: 'stream'; readonly at: number; readonly bytes: number };

/** What the client has allowed so far. */
class Model {
  initial = usualWindow;
  connection = usualWindow;
  readonly more = new Map<number, number>();

  apply(step: Step, ids: readonly number[]): Buffer {
    if (step.kind === 'initial') {
      this.initial = step.bytes;
      return frame(4, 0, 0, `\0\x04${word(step.bytes)}`);
    }
    if (step.kind === 'connection') {
      this.connection += step.bytes;
      return frame(8, 0, 0, word(step.bytes));
    }
    const id = ids[step.at % ids.length] as number;
    this.more.set(id, (this.more.get(id) ?? 0) + step.bytes);
    return frame(8, 0, id, word(step.bytes));
  }
}

const bytes = fc.oneof(fc.integer({ min: 1, max: 10 }), fc.integer({ min: 1, max: 60_000 }));
const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ kind: fc.constant('initial' as const), bytes: fc.integer({ min: 0, max: 80_000 }) }),
    fc.record({ kind: fc.constant('connection' as const), bytes }),
    fc.record({ kind: fc.constant('stream' as const), at: fc.nat({ max: 4 }), bytes }),
  ),
  { maxLength: 12 },
);
const lengths = fc.array(fc.integer({ min: 0, max: 120_000 }), { minLength: 1, maxLength: 5 });

const sent = (client: RawClient, ids: readonly number[]) => ids.map((id) => client.body(id).length);
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

test('no byte more than is allowed is sent, and all of them in the end', async () => {
  await fc.assert(
    fc.asyncProperty(lengths, steps, fc.boolean(), async (sizes, changes, isStreamed) => {
      listener.handler = (request) => {
        const body = Buffer.alloc(sizes[Number(request.path.slice(1))] ?? 0, 'x');
        if (!isStreamed) return { status: 200, headers: {}, body };
        return {
          status: 200,
          headers: {},
          body: async (sink) => {
            for (let at = 0; at < body.length; at += 7001)
              if (!sink.write(body.subarray(at, at + 7001))) await sink.drained();
          },
        };
      };
      const client = await listener.open();
      const model = new Model();
      const ids = sizes.map((_, at) => 2 * at + 1);
      client.send(greeting, frame(8, 0, 0, word(1)));
      model.connection += 1;
      const path = (at: number) => `\x04\x02/${at}`;
      client.send(...ids.map((id, at) => frame(1, 5, id, `\x82\x87${path(at)}${get.slice(3)}`)));
      let highest = model.initial;
      for (const change of changes) {
        client.send(model.apply(change, ids));
        await client.settled();
        highest = Math.max(highest, model.initial);
        const now = sent(client, ids);
        expect(sum(now)).toBeLessThanOrEqual(model.connection);
        for (const [at, id] of ids.entries()) expect(now[at]).toBeLessThanOrEqual(highest + (model.more.get(id) ?? 0));
      }
      client.send(model.apply({ kind: 'initial', bytes: 1_000_000 }, ids));
      client.send(model.apply({ kind: 'connection', bytes: 1_000_000 }, ids));
      await client.until(() => ids.every((id) => client.isEnded(id)));
      expect(sent(client, ids)).toEqual(sizes);
      client.socket.destroy();
    }),
    fuzzRuns(40),
  );
});

test('a client that reads a long answer in small steps, and widens both windows each time, is not sent off', async () => {
  const stopped = new FakeClock();
  const patient = await new TestListener({ clock: stopped }).listen();
  try {
    const length = 32 * 1024 * 1024;
    patient.handler = () => ({ status: 200, headers: {}, body: Buffer.alloc(length) });
    const client = await patient.open();
    client.send(greeting, frame(1, 5, 1, get));
    expect(await readInSteps(client, length)).toBe(length);
    expect(client.code(0)).toBeUndefined();
  } finally {
    patient.close();
  }
});

/** As clients that unpack what they read: each step is told for the stream and for the connection. */
async function readInSteps(client: RawClient, length: number): Promise<number> {
  const step = 4096;
  let [at, read, widened] = [0, 0, 0];
  while (read < length) {
    await client.until(() => client.frames.length > at);
    for (; at < client.frames.length; at++)
      if (client.frames[at]?.type === 0) read += client.frames[at]?.payload.length ?? 0;
    for (; read - widened >= step; widened += step) client.send(frame(8, 0, 1, word(step)), frame(8, 0, 0, word(step)));
  }
  return read;
}
