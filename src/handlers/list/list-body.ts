// A list on its way out: in chunks, as fast as the client takes them.

import { yieldTurn } from '../../base/time/turns.ts';
import type { BodyStream, Sink } from '../../meta/exchange.ts';
import { type ListPage, slicesOf } from '../../registry/list.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { ListWriter, Parts } from './list-writer.ts';

/** Where the sink does not do so, items are joined into chunks of about this size: small objects do not cost a write each. */
const chunkBytes = 64 * 1024;
/** Room for the item that makes a chunk long enough. */
const roomBytes = 32 * 1024;

export function listBody(page: ListPage, writer: ListWriter): BodyStream {
  return async (sink) => {
    const out = sink.joinsChunks ? new DirectSink(sink) : new ChunkedSink(sink);
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
  out: ListSink,
  writer: ListWriter,
  objects: readonly StoredObject[],
  isFirst: boolean,
): Promise<boolean> {
  let isFirstItem = isFirst;
  for (const stored of objects) {
    writer.item(stored, isFirstItem, out);
    isFirstItem = false;
    out.endItem();
    if (out.isBlocked) {
      await out.drained();
      // many clients may have read in one tick
      await yieldTurn();
    }
    if (out.isGone) return false;
  }
  return true;
}

/** Where the parts of a list go: as fast as the client takes them. */
abstract class ListSink implements Parts {
  protected readonly sink: Sink;
  #isBlocked = false;

  constructor(sink: Sink) {
    this.sink = sink;
  }

  abstract push(part: Uint8Array): void;
  abstract readonly hasCopied: boolean;
  /** An item is complete. */
  abstract endItem(): void;
  abstract flush(): void;

  get isGone(): boolean {
    return this.sink.isGone;
  }

  /** The client is slow. */
  get isBlocked(): boolean {
    return this.#isBlocked;
  }

  async drained(): Promise<void> {
    await this.sink.drained();
    this.#isBlocked = false;
  }

  /** False when the sink has enough. */
  protected write(chunk: Uint8Array): boolean {
    this.#isBlocked = !this.sink.write(chunk);
    return !this.#isBlocked;
  }
}

/** Parts as they are. */
class DirectSink extends ListSink {
  get hasCopied(): boolean {
    return this.sink.releasesChunks === true && this.sink.unsentBytes === 0;
  }

  push(part: Uint8Array): void {
    this.write(part);
  }

  endItem(): void {}

  flush(): void {}
}

/** Joins parts in one buffer, which is used again where the sink allows that: fresh memory costs more than copying. */
class ChunkedSink extends ListSink {
  readonly hasCopied = true;
  #buffer = Buffer.allocUnsafeSlow(chunkBytes + roomBytes);
  #size = 0;

  push(part: Uint8Array): void {
    if (this.#size + part.length > this.#buffer.length) this.#grow(this.#size + part.length);
    this.#buffer.set(part, this.#size);
    this.#size += part.length;
  }

  endItem(): void {
    if (this.#size >= chunkBytes) this.flush();
  }

  flush(): void {
    if (this.#size === 0) return;
    const isFree = this.write(this.#buffer.subarray(0, this.#size));
    this.#size = 0;
    // after waiting the bytes are gone; without that they may still lie in a queue
    if (isFree || !this.sink.releasesChunks) this.#buffer = Buffer.allocUnsafeSlow(chunkBytes + roomBytes);
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
