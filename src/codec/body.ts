// Request bodies: bytes to plain values.

import type { JsonValue } from '../base/json.ts';
import { badRequest, unsupportedMediaType } from '../meta/status.ts';

const objectTypes: Readonly<Record<string, (bytes: Uint8Array) => JsonValue | Promise<JsonValue>>> = {
  'application/json': parseJson,
  'application/yaml': parseYaml,
};

/** The media type without its parameters; JSON when the client does not say. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType === '') return 'application/json';
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Throws 415 for a media type that objects are not written in. */
export function parseBody(contentType: string | undefined, bytes: Uint8Array): JsonValue | Promise<JsonValue> {
  const type = mediaTypeOf(contentType);
  const parse = Object.hasOwn(objectTypes, type) ? objectTypes[type] : undefined;
  if (parse === undefined) throw unsupportedMediaType(Object.keys(objectTypes));
  return parse(bytes);
}

export function parseJson(bytes: Uint8Array): JsonValue {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

/** Aliases are what turns a small document into a huge one. */
const maxAliases = 100;

export async function parseYaml(bytes: Uint8Array): Promise<JsonValue> {
  const { parse } = await import('yaml');
  try {
    return parse(Buffer.from(bytes).toString('utf8'), { maxAliasCount: maxAliases, merge: true }) as JsonValue;
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: ${(error as Error).message}`);
  }
}
