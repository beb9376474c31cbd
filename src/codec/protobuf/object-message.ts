// Whole objects as protobuf messages: only declared types have numbers for their fields.

import type { JsonObject } from '../../base/json/json.ts';
import { noProtobufForm } from '../../meta/write-errors.ts';
import { goTypeName, type ObjectType } from '../../schema/object-type.ts';
import { decodeMessage, encodeMessage } from './message.ts';
import { MalformedProtobufError } from './reader.ts';
import type { ProtobufWriter } from './writer.ts';

/** Throws a `MalformedProtobufError` also where the type has no protobuf form. */
export function decodeObjectMessage(type: ObjectType, bytes: Uint8Array): JsonObject {
  if (type.is !== 'struct') throw new MalformedProtobufError(noProtobufForm(goTypeName(type, type.name)).message);
  return decodeMessage(type, bytes);
}

/** Throws a 406 where the type has no protobuf form. */
export function encodeObjectMessage(type: ObjectType, value: JsonObject, out: ProtobufWriter): void {
  requireMessage(type);
  if (type.is === 'struct') encodeMessage(type, value, out);
}

export const hasMessage = (type: ObjectType): boolean => type.is === 'struct';

/** Throws a 406 where the type has no protobuf form. */
function requireMessage(type: ObjectType): void {
  if (type.is !== 'struct') throw noProtobufForm(goTypeName(type, type.name));
}
