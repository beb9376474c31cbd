// Lists in gzip of pieces that are kept: a piece holds some objects that follow each other, and is compressed again when one of
// them changes. Where a piece ends depends on its objects, so that a new object changes the pieces near it only.

import { compressPiece, GzipEnd, type GzipPiece, gzipHead, storePiece } from '../../codec/gzip-pieces.ts';
import type { BodyStream, Sink } from '../../meta/exchange.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { Shape } from '../shape.ts';
import type { ListWriter, Parts } from './list-writer.ts';

/** Sizes of the objects of a piece; between them a piece ends at an object that its key chooses. */
const pieceBytes = { min: 32 * 1024, max: 256 * 1024 };

/** One object in so many ends a piece. */
const objectsPerEnd = 8;

/** Undefined where pieces cannot be kept. Rows of tables differ from time to time. */
export function gzipListBody(
  { kept, form: { format, as, pretty, version } }: Shape,
  objects: readonly StoredObject[],
  writer: ListWriter,
): BodyStream | undefined {
  if (kept === undefined || format === 'yaml' || pretty || as === 'Table') return undefined;
  const name = `${format} ${as} ${version}`;
  return async (sink) => {
    const out = new GzipSink(sink);
    out.write(gzipHead);
    await out.add(storePiece(writer.head));
    let isFirst = true;
    for (const some of piecesOf(objects)) {
      const form = isFirst ? `${name} first` : name;
      const raw = rawPiece(writer, some, isFirst);
      await out.add(await kept.pieces(form).of(some, () => compressPiece(raw())));
      if (sink.isGone) return;
      isFirst = false;
    }
    await out.add(storePiece(writer.tail(isFirst)));
    out.end();
  };
}

class GzipSink {
  readonly #sink: Sink;
  readonly #end = new GzipEnd();

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(bytes: Uint8Array): boolean {
    return this.#sink.write(bytes);
  }

  async add(piece: GzipPiece): Promise<void> {
    this.#end.add(piece);
    if (!this.write(piece.bytes)) await this.#sink.drained();
  }

  end(): void {
    this.write(this.#end.bytes);
  }
}

/** The bytes of some items, made when they are needed. */
const rawPiece = (writer: ListWriter, objects: readonly StoredObject[], isFirst: boolean) => (): Uint8Array => {
  const parts = new CopiedParts();
  for (const [index, stored] of objects.entries()) writer.item(stored, isFirst && index === 0, parts);
  return parts.bytes;
};

/** Parts one after the other in one piece of memory. */
class CopiedParts implements Parts {
  readonly hasCopied = true;
  #memory = Buffer.allocUnsafeSlow(pieceBytes.min * 2);
  #length = 0;

  push(part: Uint8Array): void {
    const length = this.#length + part.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafeSlow(2 * length);
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    this.#memory.set(part, this.#length);
    this.#length = length;
  }

  get bytes(): Uint8Array {
    return this.#memory.subarray(0, this.#length);
  }
}

/** In the order of the list. */
export function piecesOf(objects: readonly StoredObject[]): (readonly StoredObject[])[] {
  const pieces: (readonly StoredObject[])[] = [];
  let from = 0;
  let bytes = 0;
  for (const [index, stored] of objects.entries()) {
    bytes += stored.size;
    if (bytes < pieceBytes.min || (bytes < pieceBytes.max && !endsPiece(stored))) continue;
    pieces.push(objects.slice(from, index + 1));
    from = index + 1;
    bytes = 0;
  }
  if (from < objects.length) pieces.push(objects.slice(from));
  return pieces;
}

/** The same answer for each version of an object. */
function endsPiece({ key }: StoredObject): boolean {
  let hash = 0;
  for (let at = Math.max(0, key.length - 16); at < key.length; at++) hash = (hash * 31 + key.charCodeAt(at)) | 0;
  return hash % objectsPerEnd === 0;
}
