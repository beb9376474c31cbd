// A list on its way out: in chunks, as fast as the client takes them, in turns with everybody else.

import { Pace } from '../base/pace.ts';
import type { BodyStream, Sink } from '../meta/exchange.ts';
import type { ListPage } from '../registry/list.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import { type ListWriter, slicesOf } from './list-writer.ts';

/** Items are joined into chunks of about this size, so that small objects do not cost a write each. */
const chunkBytes = 64 * 1024;

export function listBody(page: ListPage, writer: ListWriter): BodyStream {
  return async (sink) => {
    const out = new ChunkedSink(sink);
    out.add([writer.head]);
    let isFirst = true;
    for await (const objects of slicesOf(page)) {
      if (!(await sendObjects(out, writer, objects, isFirst))) return;
      isFirst = isFirst && objects.length === 0;
    }
    out.add([writer.tail(isFirst)]);
    out.flush();
  };
}

/** False when nobody reads any more. */
async function sendObjects(
  out: ChunkedSink,
  writer: ListWriter,
  objects: readonly StoredObject[],
  isFirst: boolean,
): Promise<boolean> {
  for (const [index, stored] of objects.entries()) {
    const parts: Uint8Array[] = [];
    writer.item(stored, isFirst && index === 0, parts);
    out.add(parts);
    if (out.mustWait) await out.wait();
    if (out.isGone) return false;
  }
  return true;
}

class ChunkedSink {
  readonly #sink: Sink;
  readonly #pace = new Pace();
  #parts: Uint8Array[] = [];
  #size = 0;
  #blocked = false;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  get isGone(): boolean {
    return this.#sink.isGone;
  }

  /** The client is slow, or others have waited long enough. */
  get mustWait(): boolean {
    return this.#blocked || this.#pace.isDue;
  }

  add(parts: readonly Uint8Array[]): void {
    for (const part of parts) {
      this.#parts.push(part);
      this.#size += part.length;
    }
    if (this.#size >= chunkBytes) this.flush();
  }

  flush(): void {
    if (this.#size === 0) return;
    this.#blocked = !this.#sink.write(
      this.#parts.length === 1 ? (this.#parts[0] as Uint8Array) : Buffer.concat(this.#parts),
    );
    this.#parts = [];
    this.#size = 0;
  }

  async wait(): Promise<void> {
    if (this.#blocked) await this.#sink.drained();
    this.#blocked = false;
    if (this.#pace.isDue) await this.#pace.rest();
  }
}

/** A short list in one piece. */
export function wholeList(objects: readonly StoredObject[], writer: ListWriter): Uint8Array {
  const parts = [writer.head];
  for (const [index, stored] of objects.entries()) writer.item(stored, index === 0, parts);
  parts.push(writer.tail(objects.length === 0));
  return Buffer.concat(parts);
}
