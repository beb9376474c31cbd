// The text of a list in pieces: what stands before the items, each item, what stands after them.

import { stringifyJson } from '../../base/json.ts';
import { andThen, isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { YieldTimer } from '../../base/yield-timer.ts';
import { envelopeAround } from '../../codec/protobuf/envelope.ts';
import { encodeObjectMessage } from '../../codec/protobuf/object-message.ts';
import { ProtobufWriter } from '../../codec/protobuf/writer.ts';
import { writeYaml } from '../../codec/yaml/write-yaml.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ListPage } from '../../registry/list.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { hasTypedItems } from '../../schema/object-type.ts';
import { newTableEffort, type Shape, shapeEmptyList, shapeItem } from '../shape.ts';

/** Shorter lists are answered in one piece. */
export const streamedBytes = 64 * 1024;

/** Where the pieces of a list go. */
export interface Parts {
  push(part: Uint8Array): unknown;
  /** Everything that was pushed before has been copied: its memory may be used again. */
  readonly hasCopied?: boolean;
}

export interface ListWriter {
  readonly head: Uint8Array;
  /** Added to `parts`; `isFirst` for the first of all. A promise for large objects only. */
  item(stored: StoredObject, isFirst: boolean, parts: Parts): MaybePromise<void>;
  tail(isEmpty: boolean): Uint8Array;
}

/** Items of a list do not repeat their kind and apiVersion: their own bytes are sent without that beginning. */
export function plainWriter(shape: Shape, metadata: object, totalBytes: number): ListWriter {
  const { head, tail } = around(JSON.stringify(shapeEmptyList(shape, metadata).value));
  const end = Buffer.from(`${tail}\n`);
  const skip = hasTypedItems(shape.definition.type) ? 1 : typePrefixLength(shape);
  const copies = new TextCopies();
  const isHot = totalBytes <= maxHotBytes;
  return {
    head,
    tail: () => end,
    item(stored, isFirst, parts) {
      const text = isHot || stored.isInMemory ? stored.bytes : copies.of(stored, parts);
      parts.push(isFirst ? brace : separator);
      parts.push(text.subarray(skip));
    },
  };
}

/** The texts of a longer list would take the place of those that are used often. */
const maxHotBytes = 8 * 1024 * 1024;
const slabBytes = 128 * 1024;

/** Texts that are sent once, many in one piece of memory. */
class TextCopies {
  #slab = Buffer.alloc(0);
  #used = 0;

  of(stored: StoredObject, parts: Parts): Uint8Array {
    const { size } = stored;
    if (parts.hasCopied) this.#used = 0;
    if (this.#used + size > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(size, slabBytes));
      this.#used = 0;
    }
    const text = this.#slab.subarray(this.#used, this.#used + size);
    this.#used += size;
    stored.copyTo(text);
    return text;
  }
}

const brace = Buffer.from('{');
const separator = Buffer.from(',{');

function typePrefixLength({ definition: { kind, group, version } }: Shape): number {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return Buffer.byteLength(`{"kind":"${kind}","apiVersion":"${apiVersion}",`);
}

/** JSON of any shape. */
export function jsonWriter(shape: Shape, metadata: object): ListWriter {
  const indent = shape.form.pretty ? 2 : undefined;
  const deep = shape.form.pretty ? '\n    ' : '';
  const { head, tail } = around(JSON.stringify(shapeEmptyList(shape, metadata).value, undefined, indent));
  const opening = head.subarray(0, -1);
  const effort = newTableEffort();
  const end = (isEmpty: boolean) => (isEmpty ? `${noItems(shape)}${tail.slice(1)}` : tail);
  return {
    head: opening,
    tail: (isEmpty) => Buffer.from(shape.form.pretty ? `${isEmpty ? '' : '\n  '}${end(isEmpty)}` : `${end(isEmpty)}\n`),
    item(stored, isFirst, parts) {
      const written = andThen(stored.parseInTurns(), (object) =>
        stringifyJson(shapeItem(shape, object, effort).value, indent),
      );
      return andThen(written, (text) => {
        // a newline in JSON text is always indentation: those in strings are escaped
        const indented = shape.form.pretty ? text.replaceAll('\n', deep) : text;
        parts.push(Buffer.from(`${isFirst ? '[' : ','}${deep}${indented}`));
      });
    },
  };
}

/** compat: some tables and all lists of metadata say null where they have nothing */
function noItems({ form, definition, dialect }: Shape): 'null' | '[]' {
  const isNull =
    (form.as === 'Table' && definition.rows?.noneIsNull) ||
    (form.as === 'PartialObjectMetadataList' && dialect.rules.emptyMetadataList === 'null');
  return isNull ? 'null' : '[]';
}

/** Splits a list without items where they belong: its last field is an empty array. */
function around(text: string): { head: Uint8Array; tail: string } {
  const at = text.lastIndexOf('[]') + 1;
  return { head: Buffer.from(text.slice(0, at)), tail: text.slice(at) };
}

/** What holds the items, at the beginning of a line of an empty list or table. */
const emptyItems = /^(items|rows): \[\]\n/m;

/** YAML, item by item. */
export function yamlWriter(shape: Shape, metadata: object): ListWriter {
  const empty = writeYaml(shapeEmptyList(shape, metadata).value);
  const [line = '', field = ''] = emptyItems.exec(empty) ?? [];
  const at = empty.indexOf(line);
  const after = empty.slice(at + line.length);
  const effort = newTableEffort();
  return {
    head: Buffer.from(`${empty.slice(0, at)}${field}:`),
    tail: (isEmpty) => Buffer.from(`${isEmpty ? ` ${noItems(shape)}\n` : ''}${after}`),
    item(stored, isFirst, parts) {
      const text = andThen(stored.parseInTurns(), (object) => writeYaml([shapeItem(shape, object, effort).value]));
      return andThen(text, (whole) => void parts.push(Buffer.from(isFirst ? `\n${whole}` : whole)));
    },
  };
}

/** Encoded items are kept up to this size; a longer list is encoded twice, first for its length only. */
const maxKeptBytes = 8 * 1024 * 1024;

/** Protobuf says how long it is before it says anything else. */
export async function protobufWriter(shape: Shape, page: ListPage, metadata: object): Promise<ListWriter> {
  const { value, type } = shapeEmptyList(shape, metadata);
  const start = new ProtobufWriter();
  encodeObjectMessage(type, value as never, start);
  const listMeta = start.finish();
  const { bytes, kept } = await measure(shape, page);
  const { apiVersion, kind } = value as ApiObject;
  const { head, tail } = envelopeAround({ apiVersion, kind }, listMeta.length + bytes);
  return {
    head: Buffer.concat([head, listMeta]),
    tail: () => tail,
    item: (stored, _, parts) =>
      andThen(kept?.get(stored) ?? encodeItem(shape, stored), (item) => void parts.push(item)),
  };
}

async function measure(
  shape: Shape,
  page: ListPage,
): Promise<{ bytes: number; kept: Map<StoredObject, Uint8Array> | undefined }> {
  let kept: Map<StoredObject, Uint8Array> | undefined = new Map();
  let bytes = 0;
  const pace = new YieldTimer();
  for await (const objects of slicesOf(page)) {
    for (const stored of objects) {
      const encoding = encodeItem(shape, stored);
      const item = isPromise(encoding) ? await encoding : encoding;
      bytes += item.length;
      kept?.set(stored, item);
      if (bytes > maxKeptBytes) kept = undefined;
      if (pace.isDue) await pace.rest();
    }
  }
  return { bytes, kept };
}

const itemsField = 2;

function encodeItem(shape: Shape, stored: StoredObject): MaybePromise<Uint8Array> {
  return andThen(stored.parseInTurns(), (object) => {
    const { value, type } = shapeItem(shape, object);
    const [item, inner] = [new ProtobufWriter(), new ProtobufWriter()];
    encodeObjectMessage(type, value as never, inner);
    return item.bytes(itemsField, inner.finish()).finish();
  });
}

/** All objects of a page, whether they are in memory or not. */
export async function* slicesOf({ objects, rest }: ListPage): AsyncIterable<readonly StoredObject[]> {
  yield objects;
  if (rest !== undefined) yield* rest();
}
