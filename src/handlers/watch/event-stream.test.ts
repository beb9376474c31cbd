import { describe, expect, test } from 'vitest';
import type { Sink } from '../../meta/exchange.ts';
import { EventStream } from './event-stream.ts';

/** A reader that takes a chunk only when told to. */
class SlowSink implements Sink {
  readonly chunks: string[] = [];
  isGone = false;
  ended = '';
  #drain = () => {};

  write(chunk: Uint8Array | string): boolean {
    this.chunks.push(Buffer.from(chunk).toString());
    return false;
  }

  drained(): Promise<void> {
    return new Promise((resolve) => {
      const next = this.#drain;
      this.#drain = () => {
        next();
        resolve();
      };
    });
  }

  async drain(): Promise<void> {
    const drain = this.#drain;
    this.#drain = () => {};
    drain();
    await Promise.resolve();
  }

  onStop(): void {}

  end(): void {
    this.ended = 'ended';
  }

  cut(): void {
    this.ended = 'cut';
  }
}

function openStream() {
  const sink = new SlowSink();
  const ends: ('cut' | 'ended')[] = [];
  const stream = new EventStream(sink, { onStreamEnd: (isCut) => ends.push(isCut ? 'cut' : 'ended') });
  return { sink, stream, ends };
}

describe('the stream of a watch', () => {
  test('holds back what a slow reader has not taken, and sends it in one piece', async () => {
    const { sink, stream } = openStream();
    for (const text of ['a', 'b', 'c']) stream.send(Buffer.from(text));
    expect(sink.chunks).toEqual(['a']);
    await sink.drain();
    expect(sink.chunks).toEqual(['a', 'bc']);
  });

  test('gives up a reader that is too far behind, and holds nothing for it', async () => {
    const { sink, stream, ends } = openStream();
    const chunk = Buffer.alloc(1024 * 1024);
    for (let i = 0; i < 5; i++) stream.send(chunk);
    expect([stream.isOver, sink.ended, ends]).toEqual([false, '', []]);
    stream.send(chunk);
    expect([stream.isOver, sink.ended, ends]).toEqual([true, 'cut', ['cut']]);
    await sink.drain();
    expect(sink.chunks).toHaveLength(1);
  });

  test('sends what waits before it ends', () => {
    const { sink, stream } = openStream();
    for (const text of ['a', 'b', 'c']) stream.send(Buffer.from(text));
    stream.end();
    expect([sink.chunks, sink.ended]).toEqual([['a', 'bc'], 'ended']);
  });

  test('is over once', () => {
    const { stream, sink, ends } = openStream();
    stream.end();
    stream.end();
    stream.send(Buffer.from('late'));
    expect([ends, sink.chunks]).toEqual([['ended'], []]);
  });
});
