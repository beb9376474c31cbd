// Whole objects as protobuf messages: only declared types have numbers for their fields.

import type { JsonObject } from '../../base/json.ts';
import { atOnce, type Steps } from '../../base/steps.ts';
import { noProtobufForm } from '../../meta/write-errors.ts';
import { goTypeName, type ObjectType } from '../../schema/object-type.ts';
import { decodingMessage, encodeMessage, encodingMessage } from './message.ts';
import { MalformedProtobufError } from './reader.ts';
import type { ProtobufWriter } from './writer.ts';

export const decodeObjectMessage = (type: ObjectType, bytes: Uint8Array): JsonObject =>
  atOnce(decodingObjectMessage(type, bytes));

/** Throws a `MalformedProtobufError` also where the type has no protobuf form. */
export function* decodingObjectMessage(type: ObjectType, bytes: Uint8Array): Steps<JsonObject> {
  if (type.is !== 'struct') throw new MalformedProtobufError(noProtobufForm(goTypeName(type, type.name)).message);
  return yield* decodingMessage(type, bytes);
}

/** Throws a 406 where the type has no protobuf form. */
export function encodeObjectMessage(type: ObjectType, value: JsonObject, out: ProtobufWriter): void {
  requireMessage(type);
  if (type.is === 'struct') encodeMessage(type, value, out);
}

/** The same in steps, for values that may be large. */
export function* encodingObjectMessage(type: ObjectType, value: JsonObject, out: ProtobufWriter): Steps<void> {
  requireMessage(type);
  if (type.is === 'struct') yield* encodingMessage(type, value, out);
}

export const hasMessage = (type: ObjectType): boolean => type.is === 'struct';

/** Throws a 406 where the type has no protobuf form. */
function requireMessage(type: ObjectType): void {
  if (type.is !== 'struct') throw noProtobufForm(goTypeName(type, type.name));
}
