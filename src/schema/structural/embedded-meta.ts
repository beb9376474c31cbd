// Metadata of whole objects inside a custom resource is read as the metadata of every object is.

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { invalidValue } from '../../meta/field-errors.ts';
import type { FieldError } from '../../meta/status.ts';
import { TypeMismatch } from '../../wording/type-mismatch.ts';
import { DecodeContext, type Decoder } from '../decode-context.ts';
import { hasEmbedded, isEmbedded, type Schema } from './schema.ts';
import { sortedKeys } from './sorted.ts';
import { changeParts, partPath } from './walk-members.ts';

/** The value with the metadata of its embedded objects decoded. Throws an `EmbeddedMismatch` where that cannot be done. */
export function decodeEmbedded(value: JsonValue, schema: Schema | undefined, meta: Decoder, at: string): JsonValue {
  if (schema === undefined || !hasEmbedded(schema)) return value;
  const own = isEmbedded(schema) && isJsonObject(value) ? decodeOwn(value, meta, at) : value;
  return changeParts(own, schema, (part, inner, key) =>
    inner !== undefined && hasEmbedded(inner) ? decodeEmbedded(part, inner, meta, partPath(at, schema, key)) : part,
  );
}

/** The metadata of each embedded object, and where it stands. */
export function embeddedMeta(
  value: JsonValue,
  schema: Schema | undefined,
  visit: (metadata: JsonValue, at: string) => void,
  at = '',
): void {
  if (schema === undefined || !hasEmbedded(schema)) return;
  const metadata = isEmbedded(schema) && isJsonObject(value) ? getOwn(value, 'metadata') : undefined;
  if (metadata !== undefined) visit(metadata, `${at}.metadata`);
  changeParts(value, schema, (part, inner, key) => {
    if (inner !== undefined && hasEmbedded(inner)) embeddedMeta(part, inner, visit, partPath(at, schema, key));
    return part;
  });
}

function decodeOwn(object: JsonObject, meta: Decoder, at: string): JsonObject {
  for (const name of ['apiVersion', 'kind']) {
    const given = getOwn(object, name);
    if (given !== undefined && typeof given !== 'string')
      throw notDecodable(`${at}.${name}`, given, 'must be a string');
  }
  const metadata = getOwn(object, 'metadata');
  if (metadata === undefined) return object;
  const decoded = decodeMeta(metadata, meta, `${at}.metadata`);
  const { creationTimestamp, ...rest } = decoded;
  return { ...object, metadata: (creationTimestamp === null ? rest : decoded) as JsonObject };
}

/** The first field by name that cannot be read is told. */
function decodeMeta(given: JsonValue, meta: Decoder, at: string): JsonObject {
  const metadata = sortedKeys(given);
  try {
    return meta(metadata ?? {}, new DecodeContext()) as JsonObject;
  } catch (error) {
    if (error instanceof TypeMismatch) throw notDecodable(at, metadata, error.message);
    throw error;
  }
}

/** Something in the metadata of an embedded object, or what it says it is, has the wrong type. */
export class EmbeddedMismatch extends TypeMismatch {
  readonly problem: FieldError;

  constructor(problem: FieldError) {
    super(`${problem.field}: ${problem.message}`);
    this.problem = problem;
  }
}

const notDecodable = (at: string, value: JsonValue, why: string) => new EmbeddedMismatch(invalidValue(at, value, why));
