// Request bodies: bytes to plain values.

import type { JsonValue } from '../base/json.ts';
import type { DialectNames } from '../meta/dialect.ts';
import { badRequest, requestEntityTooLarge, unsupportedMediaType } from '../meta/status.ts';
import type { StructType } from '../schema/types.ts';
import { type Format, formatOf, offeredTypes } from './accept.ts';
import { openEnvelope } from './protobuf/envelope.ts';
import { decodeMessage } from './protobuf/message.ts';
import { MalformedProtobufError } from './protobuf/reader.ts';

type Parse = (bytes: Uint8Array, type: StructType) => JsonValue | Promise<JsonValue>;

const parsers: Readonly<Record<Format, Parse>> = { json: parseJson, yaml: parseYaml, protobuf: parseProtobuf };

/** The media type without its parameters; JSON when the client does not say. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType === '' || contentType === 'application/json') return 'application/json';
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Throws 415 for a media type that objects are not written in. `type` is what the body should hold. */
export function parseBody(
  contentType: string | undefined,
  bytes: Uint8Array,
  type: StructType,
  dialect: DialectNames,
): JsonValue | Promise<JsonValue> {
  const format = formatOf(mediaTypeOf(contentType), dialect);
  if (format === undefined) throw unsupportedMediaType(offeredTypes(dialect));
  return parsers[format](bytes, type);
}

function parseProtobuf(bytes: Uint8Array, type: StructType): JsonValue {
  try {
    const { apiVersion, kind, raw } = openEnvelope(bytes);
    // another kind is for the caller to refuse: its numbers mean other fields
    return { apiVersion, kind, ...(kind === '' || kind === type.name ? decodeMessage(type, raw) : {}) };
  } catch (error) {
    if (error instanceof MalformedProtobufError) throw badRequest(`the body is no protobuf object: ${error.message}`);
    throw error;
  }
}

/** Deeper documents would exhaust the stack of whoever walks them; shorter ones cannot be that deep. */
const maxDepth = 1000;

function checkDepth(bytes: Uint8Array): void {
  if (bytes.length < 2 * maxDepth) return;
  let depth = 0;
  let inText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inText) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxDepth) throw badRequest(`the body is nested more than ${maxDepth} levels deep`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}

export function parseJson(bytes: Uint8Array): JsonValue {
  checkDepth(bytes);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw badRequest(`json parse error: ${(error as Error).message}`);
  }
}

/** Aliases are what turns a small document into a huge one. */
const maxAliases = 100;
/** YAML is slow to parse, and for people: nobody writes this much by hand. */
const maxYamlBytes = 256 * 1024;

export async function parseYaml(bytes: Uint8Array): Promise<JsonValue> {
  if (bytes.length > maxYamlBytes) throw requestEntityTooLarge(maxYamlBytes);
  const { parse } = await import('yaml');
  try {
    return parse(Buffer.from(bytes).toString('utf8'), { maxAliasCount: maxAliases, merge: true }) as JsonValue;
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${(error as Error).message}`);
  }
}
