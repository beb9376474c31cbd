// Stored objects in the forms that are made of their texts without parsing them. Which form is made how is decided here.

import { stringifyJson } from '../../base/json/json.ts';
import { UnexpectedJsonError } from '../../base/json/json-member.ts';
import { isPlain } from '../../codec/accept.ts';
import { encodeObjectMessage, hasMessage } from '../../codec/protobuf/object-message.ts';
import { textTranscoder } from '../../codec/protobuf/text-transcoder.ts';
import { ProtobufWriter } from '../../codec/protobuf/writer.ts';
import { partialObjectMetadata } from '../../groups/meta/v1/types.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import type { TableEffort } from '../../schema/column.ts';
import { isBuiltIn } from '../../schema/object-type.ts';
import { type Shape, shapeItem } from '../shape.ts';
import { hiddenAnnotation, metadataHead } from './metadata-head.ts';
import { reusedMemory, type TakeMemory } from './slab.ts';
import { rowTexts } from './table-form.ts';

/**
 * The bytes of one object: JSON text, or a message without its envelope. They are valid until the next call. JSON text is in memory of
 * `take` where that is given, or in memory of its own: then it is valid as long as that.
 */
export type ObjectForm = (stored: StoredObject, take?: TakeMemory) => Uint8Array;

/**
 * Undefined for forms that need the parsed object, and for plain JSON, which is the text itself. A table has the rows of its
 * objects; `effort` is what they may cost together.
 */
export function objectFormOf(shape: Shape, effort?: TableEffort): ObjectForm | undefined {
  const { format, as, pretty } = shape.form;
  if (format === 'protobuf') return keeping(shape, as === 'Object' ? objectMessage(shape) : metadataMessage(shape));
  if (format === 'yaml' || pretty || as === 'Object') return undefined;
  return as === 'Table' ? rowTexts(shape, effort) : metadataText(shape);
}

/**
 * Whether answers of this form take no more time than plain JSON, however large the objects are. Columns that a user defines may
 * show most of an object.
 */
export function isMadeOfText(shape: Shape): boolean {
  const { form, definition } = shape;
  if (isPlain(form)) return true;
  return objectFormOf(shape) !== undefined && (form.as !== 'Table' || isBuiltIn(definition.type));
}

/** A form that makes what is not kept. Metadata and rows in JSON are made so fast that keeping them is no use. */
function keeping({ kept, form: { as } }: Shape, make: ObjectForm | undefined): ObjectForm | undefined {
  const form = kept?.messages(as === 'Object' ? 'object' : 'metadata');
  return make && form ? (stored) => form.find(stored) ?? form.keep(stored, make(stored)) : make;
}

function objectMessage(shape: Shape): ObjectForm | undefined {
  const { type } = shape.definition;
  if (!hasMessage(type) || type.is !== 'struct') return undefined;
  return (stored) => stored.readText((text) => textTranscoder.whole(type, text)) ?? messageOfObject(shape, stored);
}

function metadataMessage(shape: Shape): ObjectForm {
  const annotation = hiddenAnnotation(shape);
  return (stored) =>
    readMetadata(stored, (text) =>
      holds(text, annotation) ? undefined : textTranscoder.onlyMember(partialObjectMetadata, 'metadata', text),
    ) ?? messageOfObject(shape, stored);
}

function metadataText(shape: Shape): ObjectForm {
  const head = Buffer.from(metadataHead(shape));
  const annotation = hiddenAnnotation(shape);
  const write = (text: Buffer, start: number, take: TakeMemory) => {
    if (holds(text, annotation)) return undefined;
    const length = head.length + text.length - start;
    const out = take(length + 1);
    out.set(head);
    text.copy(out, head.length, start);
    out[length] = closeBrace;
    return out.subarray(0, length + 1);
  };
  return (stored, take = reusedMemory) =>
    readMetadata(stored, (text, start) => write(text, start, take)) ??
    Buffer.from(stringifyJson(itemOf(shape, stored).value));
}

const closeBrace = 0x7d;

const holds = (text: Buffer, annotation: string | undefined): boolean =>
  annotation !== undefined && text.includes(annotation);

/** Undefined for a text that is not canonical. */
function readMetadata<T>(stored: StoredObject, use: (text: Buffer, metadataStart: number) => T): T | undefined {
  try {
    return stored.readMetadata(use);
  } catch (error) {
    if (error instanceof UnexpectedJsonError) return undefined;
    throw error;
  }
}

const itemOf = (shape: Shape, stored: StoredObject) => shapeItem(shape, stored.parse());

function messageOfObject(shape: Shape, stored: StoredObject): Uint8Array {
  const { value, type } = itemOf(shape, stored);
  const out = new ProtobufWriter();
  encodeObjectMessage(type, value as never, out);
  return out.finish();
}
