// Long answers over a socket that the test holds in its hand: how they are joined, and how they share what is written.

import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { usualWindow } from '../../http2/frame.ts';
import { defaultLimits } from '../http/connection-limits.ts';
import { UnreadAnswers } from '../http/unread-answers.ts';
import { ServerStream, type StreamSession } from './server-stream.ts';
import { SessionWriter } from './session-writer.ts';

const wide = 2 ** 30;
const bufferBytes = 256 * 1024;
const turn = () => new Promise((resolve) => setImmediate(resolve));

interface Sent {
  readonly stream: number;
  readonly length: number;
  readonly isLast: boolean;
}

/** A connection whose client reads when it is told to. */
class HeldConnection implements StreamSession {
  readonly writes: Buffer[] = [];
  readonly peer = { address: '127.0.0.1' };
  readonly live = new Set<{ stop(): void }>();
  readonly unread = new UnreadAnswers(defaultLimits, systemClock);
  readonly writer: SessionWriter;
  readonly held: number[] = [];
  readonly failures: unknown[] = [];
  #done: (() => void) | undefined;

  constructor() {
    const socket = new Writable({
      write: (chunk: Buffer, _, done) => {
        this.writes.push(Buffer.from(chunk));
        this.#done = done;
      },
    });
    this.writer = new SessionWriter(socket, {
      onHeld: (bytes) => this.held.push(bytes),
      onWritten: () => {},
      onFailure: (error) => this.failures.push(error),
    });
    this.writer.onWindow(wide - usualWindow);
  }

  leave(): void {}

  open(id: number): ServerStream {
    return new ServerStream(this, id, wide);
  }

  /** The client reads one write; what that sets off is done. */
  async read(): Promise<void> {
    const done = this.#done;
    this.#done = undefined;
    done?.();
    for (let count = 0; count < 3; count++) await turn();
  }

  /** Frames of bodies in the writes from `first` on. */
  sent(first = 0): Sent[] {
    const bytes = Buffer.concat(this.writes.slice(first));
    const sent: Sent[] = [];
    for (let at = 0; at < bytes.length; at += 9 + bytes.readUIntBE(at, 3))
      sent.push({
        stream: bytes.readUInt32BE(at + 5),
        length: bytes.readUIntBE(at, 3),
        isLast: bytes[at + 4] === 1,
      });
    return sent;
  }

  serve(): void {}
  onSent(): void {}
  reset(): void {}
}

const total = (frames: readonly Sent[], stream: number) =>
  frames.reduce((sum, frame) => sum + (frame.stream === stream ? frame.length : 0), 0);

/** Writes pieces of `size` bytes until there were `count`. */
async function produce(stream: ServerStream, size: number, count: number): Promise<void> {
  const piece = Buffer.alloc(size, stream.id);
  for (let written = 0; written < count; written++) if (!stream.write(piece)) await stream.drained();
  stream.end();
}

test('small pieces of an answer are joined into full frames and few writes', async () => {
  const connection = new HeldConnection();
  const done = produce(connection.open(1), 1000, 2000);
  for (let count = 0; count < 20; count++) await connection.read();
  await done;
  const frames = connection.sent();
  expect(total(frames, 1)).toBe(2_000_000);
  expect(Math.max(...frames.map(({ length }) => length))).toBe(16_000);
  expect(frames.length).toBeLessThan(140);
  expect(frames.filter(({ isLast }) => isLast)).toEqual([frames.at(-1)]);
  expect(Math.max(...connection.writes.map(({ length }) => length))).toBeLessThanOrEqual(bufferBytes);
  expect(connection.writes.length).toBeLessThan(12);
});

test('pieces that are longer than a frame take several', async () => {
  const connection = new HeldConnection();
  const done = produce(connection.open(1), 40_000, 20);
  for (let count = 0; count < 10; count++) await connection.read();
  await done;
  const frames = connection.sent();
  expect(total(frames, 1)).toBe(800_000);
  expect(Math.max(...frames.map(({ length }) => length))).toBe(16_384);
  expect(connection.writes.length).toBeLessThan(8);
});

test('while the client does not read, two rooms are filled and no more', async () => {
  const connection = new HeldConnection();
  const stream = connection.open(1);
  let written = 0;
  while (stream.write(Buffer.alloc(1000))) written += 1000;
  await turn();
  expect(connection.writes.length).toBe(1);
  expect(connection.writer.frames.length).toBeLessThanOrEqual(bufferBytes);
  expect(written).toBeLessThan(2 * bufferBytes + 32 * 1024);
});

test('long answers share each write, however small their pieces are and whichever began first', async () => {
  const connection = new HeldConnection();
  const done = [100, 3000, 20_000].map((size, at) => produce(connection.open(2 * at + 1), size, 4_000_000 / size));
  // what the first one said while it was alone
  for (let count = 0; count < 4; count++) await connection.read();
  const from = connection.writes.length;
  for (let count = 0; count < 12; count++) await connection.read();
  const shares = [1, 3, 5].map((id) => total(connection.sent(from), id));
  expect(Math.min(...shares)).toBeGreaterThan(bufferBytes);
  expect(Math.max(...shares)).toBeLessThan(2 * Math.min(...shares));
  for (let count = 0; count < 80; count++) await connection.read();
  await Promise.all(done);
});

test('a short answer goes out with the next write but one, behind however many long ones', async () => {
  const connection = new HeldConnection();
  const long = Array.from({ length: 20 }, (_, at) => produce(connection.open(2 * at + 1), 4000, 200));
  for (let count = 0; count < 5; count++) await connection.read();
  const before = connection.writes.length;
  connection.open(101).endWith('short');
  await connection.read();
  await connection.read();
  expect(connection.sent(before).find(({ stream }) => stream === 101)).toEqual({
    stream: 101,
    length: 5,
    isLast: true,
  });
  for (let count = 0; count < 80; count++) await connection.read();
  await Promise.all(long);
});

test('what was written and not sent is reported, and nothing of it once the client has read', async () => {
  const connection = new HeldConnection();
  const done = produce(connection.open(1), 1000, 2000);
  await turn();
  expect(Math.max(...connection.held)).toBeGreaterThan(bufferBytes);
  expect(Math.max(...connection.held)).toBeLessThanOrEqual(2 * bufferBytes + 64 * 1024);
  for (let count = 0; count < 20; count++) await connection.read();
  await done;
  expect(connection.held.at(-1)).toBe(0);
});

test('an error while frames are written in a later tick goes to the connection', async () => {
  const connection = new HeldConnection();
  const bug = new Error('a bug');
  connection.onSent = () => {
    throw bug;
  };
  const stream = connection.open(1);
  stream.write(Buffer.alloc(2 * bufferBytes));
  stream.end();
  for (let count = 0; count < 10; count++) await connection.read();
  expect(connection.failures).toEqual([bug]);
});
