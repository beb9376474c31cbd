// The text of a list in pieces: what stands before the items, each item, what stands after them.

import { stringifyJson } from '../../base/json/json.ts';
import { envelopeAround } from '../../codec/protobuf/envelope.ts';
import { encodeObjectMessage } from '../../codec/protobuf/object-message.ts';
import { lengthPrefix, ProtobufWriter, prefixLength } from '../../codec/protobuf/writer.ts';
import { writeYaml } from '../../codec/yaml/write-yaml.ts';
import type { ApiObject } from '../../meta/object.ts';
import { type ListPage, slicesOf } from '../../registry/list.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { hasTypedItems } from '../../schema/object-type.ts';
import { type ObjectForm, objectFormOf } from '../forms/object-form.ts';
import { Slab } from '../forms/slab.ts';
import { newTableEffort, type Shape, type Shaped, shapeEmptyList, shapeItem } from '../shape.ts';

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
  /** Added to `parts`; `isFirst` for the first of all. */
  item(stored: StoredObject, isFirst: boolean, parts: Parts): void;
  tail(isEmpty: boolean): Uint8Array;
}

/** Items of a list do not repeat their kind and apiVersion: their own bytes are sent without that beginning. */
export function plainWriter(shape: Shape, metadata: object, totalBytes: number): ListWriter {
  const { head, tail } = around(JSON.stringify(shapeEmptyList(shape, metadata).value));
  const end = Buffer.from(`${tail}\n`);
  const skip = hasTypedItems(shape.definition.type) ? 1 : typePrefixLength(shape);
  const slab = new Slab();
  const isHot = totalBytes <= maxHotBytes;
  return {
    head,
    tail: () => end,
    item(stored, isFirst, parts) {
      const text = isHot || stored.isInMemory ? stored.bytes : copyOf(stored, slab, parts);
      parts.push(isFirst ? brace : separator);
      parts.push(text.subarray(skip));
    },
  };
}

/** The texts of a longer list would take the place of those that are used often. */
const maxHotBytes = 8 * 1024 * 1024;
function copyOf(stored: StoredObject, slab: Slab, parts: Parts): Uint8Array {
  const text = slab.take(stored.size, parts.hasCopied);
  stored.copyTo(text);
  return text;
}

const bracket = Buffer.from('[');
const comma = Buffer.from(',');
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
  const form = objectFormOf(shape, effort);
  const slab = new Slab();
  let hasCopied: boolean | undefined;
  const take = (length: number) => slab.take(length, hasCopied);
  const end = (isEmpty: boolean) => (isEmpty ? `${noItems(shape)}${tail.slice(1)}` : tail);
  return {
    head: opening,
    tail: (isEmpty) => Buffer.from(shape.form.pretty ? `${isEmpty ? '' : '\n  '}${end(isEmpty)}` : `${end(isEmpty)}\n`),
    item(stored, isFirst, parts) {
      if (form !== undefined) {
        parts.push(isFirst ? bracket : comma);
        hasCopied = parts.hasCopied;
        parts.push(form(stored, take));
        return;
      }
      const text = stringifyJson(shapeItem(shape, stored.parse(), effort).value, indent);
      // a newline in JSON text is always indentation: those in strings are escaped
      const indented = shape.form.pretty ? text.replaceAll('\n', deep) : text;
      parts.push(Buffer.from(`${isFirst ? '[' : ','}${deep}${indented}`));
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
      const text = writeYaml([shapeItem(shape, stored.parse(), effort).value]);
      parts.push(Buffer.from(isFirst ? `\n${text}` : text));
    },
  };
}

export const bytesOf = ({ objects }: ListPage): number => objects.reduce((sum, { size }) => sum + size, 0);

/** Encoded items are kept up to this size; a longer list is encoded twice, first for its length only. */
const maxKeptBytes = 8 * 1024 * 1024;

/** Protobuf says how long it is before it says anything else. */
export async function protobufWriter(shape: Shape, page: ListPage, metadata: object): Promise<ListWriter> {
  const { value, type } = shapeEmptyList(shape, metadata);
  const listMeta = encoded({ value, type });
  const { apiVersion, kind } = value as ApiObject;
  const form = shape.kept === undefined ? undefined : objectFormOf(shape);
  if (form !== undefined) {
    let bytes = listMeta.length;
    for await (const objects of slicesOf(page))
      for (const stored of objects) {
        const { length } = form(stored);
        bytes += prefixLength(itemsField, length) + length;
      }
    const { head, tail } = envelopeAround({ apiVersion, kind }, bytes);
    return {
      head: Buffer.concat([head, listMeta]),
      tail: () => tail,
      item(stored, _, parts) {
        const message = form(stored);
        parts.push(lengthPrefix(itemsField, message.length));
        parts.push(message);
      },
    };
  }
  const items = new ListItems(shape);
  const { bytes, kept } = await measure(items, page);
  const { head, tail } = envelopeAround({ apiVersion, kind }, listMeta.length + bytes);
  return {
    head: Buffer.concat([head, listMeta]),
    tail: () => tail,
    item: (stored, _, parts) => void parts.push(kept?.get(stored) ?? items.encode(stored, parts.hasCopied)),
  };
}

async function measure(
  items: ListItems,
  page: ListPage,
): Promise<{ bytes: number; kept: Map<StoredObject, Uint8Array> | undefined }> {
  let kept: Map<StoredObject, Uint8Array> | undefined = new Map();
  let bytes = 0;
  for await (const objects of slicesOf(page)) {
    for (const stored of objects) {
      const item = items.encode(stored, kept === undefined);
      bytes += item.length;
      kept?.set(stored, item);
      if (bytes > maxKeptBytes) kept = undefined;
    }
  }
  return { bytes, kept };
}

const itemsField = 2;

/** Objects as items of a list: messages with number and length. */
class ListItems {
  readonly #form: ObjectForm;
  readonly #slab = new Slab();

  constructor(shape: Shape) {
    this.#form = objectFormOf(shape) ?? ((stored) => encoded(shapeItem(shape, stored.parse())));
  }

  /** `isFree` where items that were encoded before are no longer needed. */
  encode(stored: StoredObject, isFree = false): Uint8Array {
    const message = this.#form(stored);
    const prefix = lengthPrefix(itemsField, message.length);
    const item = this.#slab.take(prefix.length + message.length, isFree);
    item.set(prefix);
    item.set(message, prefix.length);
    return item;
  }
}

function encoded({ value, type }: Shaped): Uint8Array {
  const out = new ProtobufWriter();
  encodeObjectMessage(type, value as never, out);
  return out.finish();
}
