import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProtobufWriter } from '../../codec/protobuf/writer.ts';
import { revision } from '../../meta/revision.ts';
import type { EtcdConnection } from './connection.ts';
import { EtcdWatch } from './etcd-watch.ts';
import { KeySpace } from './key-space.ts';
import { encodeWatchProgress } from './messages.ts';

/** A stream to an etcd that says only what it is told to say. */
class QuietStream extends EventEmitter {
  questions = 0;

  write(bytes: Buffer): void {
    if (bytes.equals(encodeWatchProgress())) this.questions++;
  }

  cancel(): void {}

  /** Progress up to a revision, without events. */
  tell(reached: number): void {
    this.emit('data', new ProtobufWriter().message(1, (header) => header.integer(3, reached)).finish());
  }
}

async function openWatch() {
  const stream = new QuietStream();
  const reached: number[] = [];
  const watch = new EtcdWatch(
    { prefix: '/pods/', after: revision(10) },
    { onEvents: () => {}, onProgress: (to) => reached.push(to), onEnd: () => {} },
    {
      connection: { stream: async () => stream, rotate: () => {} } as unknown as EtcdConnection,
      keys: new KeySpace('/registry'),
      patienceMs: 5000,
      closed: () => {},
    },
  );
  await vi.advanceTimersByTimeAsync(0);
  return { watch, stream, reached };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('requests progress of etcd until it reaches the target', async () => {
  const { watch, stream, reached } = await openWatch();
  watch.requestProgress(revision(12));
  expect(stream.questions).toBe(1);
  stream.tell(11);
  vi.advanceTimersByTime(100);
  expect(stream.questions).toBe(2);
  stream.tell(12);
  vi.advanceTimersByTime(1000);
  expect(stream.questions).toBe(2);
  expect(reached).toEqual([11, 12]);
  watch.close();
});

test('asks for the farthest revision that a reader wants, in one row of questions', async () => {
  const { watch, stream } = await openWatch();
  watch.requestProgress(revision(12));
  watch.requestProgress(revision(20));
  watch.requestProgress(revision(11));
  expect(stream.questions).toBe(1);
  stream.tell(15);
  vi.advanceTimersByTime(100);
  expect(stream.questions).toBe(2);
  stream.tell(20);
  vi.advanceTimersByTime(100);
  expect(stream.questions).toBe(2);
  watch.close();
});

test('stops asking when no reader can be waiting any more, and after its end', async () => {
  const { watch, stream } = await openWatch();
  watch.requestProgress(revision(12));
  vi.advanceTimersByTime(60_000);
  const requests = stream.questions;
  expect(requests).toBeLessThan(60);
  vi.advanceTimersByTime(60_000);
  expect(stream.questions).toBe(requests);
  watch.requestProgress(revision(12));
  expect(stream.questions).toBe(requests + 1);
  watch.close();
  vi.advanceTimersByTime(1000);
  expect(stream.questions).toBe(requests + 1);
});

test('requests no progress that it has reached', async () => {
  const { watch, stream } = await openWatch();
  watch.requestProgress(revision(10));
  expect(stream.questions).toBe(0);
  watch.close();
});
