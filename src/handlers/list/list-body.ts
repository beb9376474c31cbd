// A list on its way out: in chunks, as fast as the client takes them, in turns with other requests.

import { YieldTimer } from '../../base/yield-timer.ts';
import type { BodyStream, Sink } from '../../meta/exchange.ts';
import type { ListPage } from '../../registry/list.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { type ListWriter, type Parts, slicesOf } from './list-writer.ts';

/** Items are joined into chunks of about this size, so that small objects do not cost a write each. */
const chunkBytes = 64 * 1024;
/** Room for the item that makes a chunk long enough. */
const roomBytes = 32 * 1024;

export function listBody(page: ListPage, writer: ListWriter): BodyStream {
  return async (sink) => {
    const out = new ChunkedSink(sink);
    out.push(writer.head);
    let isFirst = true;
    for await (const objects of slicesOf(page)) {
      if (!(await sendObjects(out, writer, objects, isFirst))) return;
      isFirst = isFirst && objects.length === 0;
    }
    out.push(writer.tail(isFirst));
    out.flush();
  };
}

/** False when the client no longer reads. */
async function sendObjects(
  out: ChunkedSink,
  writer: ListWriter,
  objects: readonly StoredObject[],
  isFirst: boolean,
): Promise<boolean> {
  for (const [index, stored] of objects.entries()) {
    writer.item(stored, isFirst && index === 0, out);
    if (out.isFull) out.flush();
    if (out.mustWait) await out.wait();
    if (out.isGone) return false;
  }
  return true;
}

/** Joins parts in one buffer, which is used again where the sink allows that: fresh memory costs more than copying. */
class ChunkedSink implements Parts {
  readonly #sink: Sink;
  readonly #pace = new YieldTimer();
  #buffer = Buffer.allocUnsafeSlow(chunkBytes + roomBytes);
  #size = 0;
  #blocked = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  get isGone(): boolean {
    return this.#sink.isGone;
  }

  get isFull(): boolean {
    return this.#size >= chunkBytes;
  }

  /** The client is slow, or others have waited long enough. */
  get mustWait(): boolean {
    return this.#blocked || this.#pace.isDue;
  }

  push(part: Uint8Array): void {
    if (this.#size + part.length > this.#buffer.length) this.#grow(this.#size + part.length);
    this.#buffer.set(part, this.#size);
    this.#size += part.length;
  }

  flush(): void {
    if (this.#size === 0) return;
    this.#blocked = !this.#sink.write(this.#buffer.subarray(0, this.#size));
    this.#size = 0;
    // after waiting the bytes are gone; without that they may still lie in a queue
    if (!this.#blocked || !this.#sink.releasesChunks) this.#buffer = Buffer.allocUnsafeSlow(chunkBytes + roomBytes);
  }

  async wait(): Promise<void> {
    if (this.#blocked) await this.#sink.drained();
    this.#blocked = false;
    if (this.#pace.isDue) await this.#pace.rest();
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#size);
    this.#buffer = larger;
  }
}

/** A short list in one piece. */
export function wholeList(objects: readonly StoredObject[], writer: ListWriter): Uint8Array {
  const parts = [writer.head];
  for (const [index, stored] of objects.entries()) writer.item(stored, index === 0, parts);
  parts.push(writer.tail(objects.length === 0));
  return Buffer.concat(parts);
}
