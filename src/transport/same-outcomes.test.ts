// Random requests, cut into random frames and mixed with frames of every kind: both implementations of HTTP/2 answer and refuse the same.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { field, frame, greeting, word } from '../testing/http2-bytes.ts';
import { get, post, TestListener } from '../testing/raw-http2-client.ts';
import { http2Implementations } from './http2-implementation.ts';

const listeners: TestListener[] = [];

beforeAll(async () => {
  for (const http2 of http2Implementations) {
    const listener = await new TestListener({ http2 }).listen();
    listener.handler = async (request) => {
      const body = await request.readBody(100_000).catch(() => undefined);
      if (body === undefined) return { status: 400, headers: {} };
      return {
        status: 200,
        headers: {},
        body: `${request.method} ${request.headers().length} ${body.length} ${sumOf(body)}`,
      };
    };
    listeners.push(listener);
  }
});
afterAll(() => {
  for (const listener of listeners) listener.close();
});

const sumOf = (body: Uint8Array) => body.reduce((sum, byte, at) => (sum + byte * (at + 1)) % 1_000_003, 0);

/** The frames of one request: its number is known when it is its turn. */
type StreamFrame = (stream: number) => Buffer;

const [end, endHeaders, padded] = [1, 4, 8];

const fields = fc
  .array(
    fc.tuple(
      fc.stringMatching(/^x-[a-z]{1,8}$/),
      fc.stringMatching(/^[a-z0-9]{0,40}$/),
      fc.constantFrom('\0', '\x40', '\x10'),
    ),
    {
      maxLength: 4,
    },
  )
  .map((all) => all.map(([name, value, kind]) => kind + field(name, value).slice(1)).join(''));
const malformed = fc.constantFrom(
  '',
  '\x84',
  field('connection', 'close'),
  field('te', 'gzip'),
  field('A', 'b'),
  field(':other', 'x'),
  field('content-length', 'x'),
  field('host', 'y'),
);
const cut = fc.array(fc.nat({ max: 60 }), { maxLength: 3 });

/** A block in one frame or, cut at some places, in several. */
function blockFrames(block: string, cuts: readonly number[], flags: number): StreamFrame {
  const places = [...new Set(cuts.filter((at) => at < block.length))].sort((a, b) => a - b);
  const parts = [0, ...places].map((from, at) => block.slice(from, places[at]));
  return (stream) =>
    Buffer.concat(
      parts.map((part, at) =>
        frame(at === 0 ? 1 : 9, (at === 0 ? flags : 0) | (at === parts.length - 1 ? endHeaders : 0), stream, part),
      ),
    );
}

const piece = fc.tuple(fc.nat({ max: 3000 }), fc.nat({ max: 20 }), fc.boolean());

/** A body in pieces, some of them with padding. */
const dataFrames = (pieces: readonly (readonly [number, number, boolean])[], isLast: boolean): StreamFrame[] =>
  pieces.map(([length, padding, hasPadding], at) => {
    const flags = isLast && at === pieces.length - 1 ? end : 0;
    const bytes = Buffer.alloc(length, length + at);
    if (!hasPadding) return (stream) => frame(0, flags, stream, bytes);
    return (stream) =>
      frame(0, flags | padded, stream, Buffer.concat([Buffer.of(padding), bytes, Buffer.alloc(padding)]));
  });

const getting = fc.tuple(fields, cut).map(([more, cuts]) => [blockFrames(get + more, cuts, end)]);
const refused = fc.tuple(fields, malformed, cut).map(([more, bad, cuts]) => [blockFrames(get + more + bad, cuts, end)]);
const posting = fc
  .tuple(
    fields,
    cut,
    fc.array(piece, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('end', 'trailers', 'length', 'wrong length'),
  )
  .map(([more, cuts, pieces, ending]) => {
    const length = pieces.reduce((sum, [bytes]) => sum + bytes, 0) + (ending === 'wrong length' ? 1 : 0);
    const declared = ending.endsWith('length') ? field('content-length', String(length)) : '';
    const opening = blockFrames(post + more + declared, cuts, 0);
    if (ending !== 'trailers') return [opening, ...dataFrames(pieces, true)];
    return [opening, ...dataFrames(pieces, false), blockFrames(field('x-trailer', 'a'), [], end)];
  });
const request = fc.oneof(
  { arbitrary: getting, weight: 3 },
  { arbitrary: posting, weight: 4 },
  { arbitrary: refused, weight: 1 },
);

/** Frames of the connection that change nothing, or let the server send more. */
const between = fc.constantFrom(
  frame(6, 0, 0, 'abcdefgh'),
  frame(2, 0, 99, '\0\0\0\0\x10'),
  frame(77, 255, 0, 'unknown'),
  frame(4, 0, 0, '\0\x01\0\0\0\0'),
  frame(4, 0, 0, '\0\x01\0\0\x10\0'),
  frame(4, 0, 0, '\0\x04\0\x01\0\0'),
  frame(4, 0, 0, '\0\x63\0\0\0\x07'),
  frame(8, 0, 0, word(1000)),
);

/** Whose turn it is: a request goes on by a frame; above all of them a frame of the connection is sent. */
const turns = fc.array(fc.nat({ max: 12 }), { maxLength: 60 });

interface Plan {
  readonly requests: readonly (readonly StreamFrame[])[];
  readonly turns: readonly number[];
  readonly between: readonly Buffer[];
}

/** All frames in one order, and the streams that they open. */
function framesOf({ requests, turns: order, between: others }: Plan): { frames: Buffer[]; streams: number[] } {
  const left = requests.map((all) => [...all]);
  const ids: (number | undefined)[] = requests.map(() => undefined);
  const frames: Buffer[] = [];
  let opened = 0;
  const advance = (at: number) => {
    const next = left[at]?.shift();
    if (next === undefined) return;
    ids[at] ??= 2 * opened++ + 1;
    frames.push(next(ids[at]));
  };
  for (const turn of order) {
    if (turn < requests.length) advance(turn);
    else frames.push(others[turn % others.length] as Buffer);
  }
  for (const [at, all] of left.entries()) while (all.length > 0) advance(at);
  return { frames, streams: ids.filter((id) => id !== undefined) };
}

/** What each stream got: its answer, or a reset. */
async function outcomesOf(listener: TestListener, frames: readonly Buffer[], streams: readonly number[], size: number) {
  const client = await listener.open();
  client.send(greeting);
  await client.until(() => client.of(0, 4).length === 2);
  client.send(frame(4, 1, 0));
  const bytes = Buffer.concat(frames);
  for (let at = 0; at < bytes.length; at += size) client.send(bytes.subarray(at, at + size));
  const isOver = (id: number) => client.isEnded(id) || client.code(id) !== undefined;
  await client.until(() => client.isClosed || streams.every(isOver));
  await client.settled();
  const outcomes = streams.map((id) => (client.isEnded(id) ? client.body(id).toString() : `reset ${client.code(id)}`));
  client.socket.destroy();
  return { outcomes, code: client.code(0) };
}

test('both answer what makes sense, and reset what does not', async () => {
  const plan = fc.record({
    requests: fc.array(request, { minLength: 1, maxLength: 8 }),
    turns,
    between: fc.array(between, { minLength: 1, maxLength: 5 }),
  });
  await fc.assert(
    fc.asyncProperty(plan, fc.constantFrom(7, 100, 5000, 100_000), async (made, size) => {
      const { frames, streams } = framesOf(made);
      const [own, node] = await Promise.all(
        listeners.map((listener) => outcomesOf(listener, frames, streams, Math.max(size, 100))),
      );
      expect(node).toEqual(own);
    }),
    fuzzRuns(60),
  );
  expect(listeners.flatMap(({ errors }) => errors)).toEqual([]);
});
