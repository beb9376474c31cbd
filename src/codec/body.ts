// Request bodies: bytes to plain values.

import { bufferOf } from '../base/bytes.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json.ts';
import { JsonSyntaxError, maxJsonDepth, parseJsonText, scanJson } from '../base/json-scan.ts';
import type { DialectNames } from '../meta/dialect.ts';
import { badRequest, requestEntityTooLarge, unsupportedMediaType } from '../meta/status.ts';
import type { StructType } from '../schema/types.ts';
import { type Format, formatOf, offeredTypes } from './accept.ts';
import { openEnvelope } from './protobuf/envelope.ts';
import { decodeMessage } from './protobuf/message.ts';
import { MalformedProtobufError } from './protobuf/reader.ts';
import { mayRepeatKeys, type Parsed } from './strict.ts';
import { readDocument } from './yaml-document.ts';

type Parse = (bytes: Uint8Array, type: StructType) => Parsed | Promise<Parsed>;

const parsers: Readonly<Record<Format, Parse>> = {
  json: parseJson,
  yaml: (bytes) => parseYaml(bytes),
  protobuf: parseProtobuf,
};

/** What clients mostly say, in the form it is looked for. */
const plainTypes = new Set(
  ['json', 'merge-patch+json', 'strategic-merge-patch+json', 'json-patch+json', 'apply-patch+yaml', 'yaml'].map(
    (subtype) => `application/${subtype}`,
  ),
);

/** The media type without its parameters; JSON when the client does not say. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined || contentType === '') return 'application/json';
  if (plainTypes.has(contentType)) return contentType;
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

/** Throws 415 for a media type that objects are not written in. `type` is what the body should hold. */
export function parseBody(
  contentType: string | undefined,
  bytes: Uint8Array,
  type: StructType,
  dialect: DialectNames,
): Parsed | Promise<Parsed> {
  const format = formatOf(mediaTypeOf(contentType), dialect);
  if (format === undefined) throw unsupportedMediaType(offeredTypes(dialect));
  return parsers[format](bytes, type);
}

function parseProtobuf(bytes: Uint8Array, type: StructType): Parsed {
  const unrecognized = `the object provided is unrecognized (must be of type ${type.name})`;
  const { apiVersion, kind, raw } = readable(
    () => openEnvelope(bytes),
    (why) => `${unrecognized}: ${why} (${summary(bytes)})`,
  );
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  // another kind is for the caller to refuse: its numbers mean other fields
  const isThis = kind === '' || kind === type.name;
  const read = readable(
    () => (isThis ? decodeMessage(type, raw) : {}),
    (why) =>
      `${kind === '' ? type.name : kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.name}: ${why}`,
  );
  return { value: { apiVersion, kind, ...read } };
}

/** What `read` gives; bytes that are none of ours are a bad request. */
function readable<T>(read: () => T, told: (why: string) => string): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedProtobufError) throw badRequest(told(error.message));
    throw error;
  }
}

const maxBytesShown = 30;

/** As much of a body as a message needs, in hexadecimal; what looks like JSON as it is. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const shown = Buffer.from(bytes.subarray(0, maxBytesShown));
  const more = bytes.length > maxBytesShown ? ' ...' : '';
  return `${shown.toString(shown[0] === 0x7b ? 'utf8' : 'hex')}${more}`;
}

/** Documents shorter than this cannot be too deep. */
const maxFlatBytes = 2 * maxJsonDepth;

function checkDepth(bytes: Uint8Array): void {
  if (bytes.length < maxFlatBytes) return;
  let depth = 0;
  let inText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (inText) {
      if (byte === 0x5c) i++;
      else if (byte === 0x22) inText = false;
    } else if (byte === 0x22) inText = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > maxJsonDepth) throw badRequest(`the body is nested more than ${maxJsonDepth} levels deep`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
}

export function parseJson(bytes: Uint8Array): Parsed {
  checkDepth(bytes);
  const text = bufferOf(bytes).toString('utf8');
  const value = parseText(text);
  return mayRepeatKeys(text, value) ? { value, repeating: text } : { value };
}

function parseText(text: string): JsonValue {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw badRequest(`json parse error: ${whereItBreaks(text) ?? (error as Error).message}`);
  }
}

/** The same words and a position on every platform. */
function whereItBreaks(text: string): string | undefined {
  try {
    scanJson(text);
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

/** Aliases are what turns a small document into a huge one. */
const maxAliases = 100;
/** YAML is slow to parse, and for people: nobody writes this much by hand. */
const maxYamlBytes = 256 * 1024;

/** compat: YAML is read by the rules of version 1.1, in which y and no are booleans */
const yamlOptions = {
  version: '1.1',
  merge: true,
  logLevel: 'error',
  intAsBigInt: true,
  // times and binary data stay text, and no number is counted in sixties
  customTags: (tags: unknown[]) => tags.filter((tag) => !isTypedText(tag)),
} as const;

const typedText = /:(timestamp|binary|omap|pairs|set)$/;

function isTypedText(tag: unknown): boolean {
  const { tag: name = '', format } = tag as { tag?: string; format?: string };
  return typedText.test(name) || format === 'TIME';
}

/** Files of our own configuration may be longer than what a client sends. */
export async function parseYaml(bytes: Uint8Array, maxBytes = maxYamlBytes): Promise<Parsed> {
  if (bytes.length > maxBytes) throw requestEntityTooLarge(maxBytes);
  const text = bufferOf(bytes).toString('utf8');
  // JSON is YAML: what clients send as one is mostly the other
  const parsed = text.startsWith('{') ? parseJsonAsYaml(bytes) : undefined;
  if (parsed === undefined) return readYaml(text);
  return parsed.repeating === undefined ? parsed : toldAsYaml(parsed, text);
}

/** Repeated keys as a reader of YAML tells them. */
async function toldAsYaml(parsed: Parsed, text: string): Promise<Parsed> {
  try {
    const { told = [] } = await readYaml(text);
    return { value: parsed.value, told };
  } catch {
    return parsed;
  }
}

function parseJsonAsYaml(bytes: Uint8Array): Parsed | undefined {
  try {
    return parseJson(bytes);
  } catch {
    return undefined;
  }
}

/** As much of a repeated key as a message needs. */
const maxKeyShown = 64;

async function readYaml(text: string): Promise<Parsed> {
  try {
    const { document, repeated } = await readDocument(text, yamlOptions);
    const told = repeated.map(({ line, offset }) => {
      const key = /^["']?([^"':\n]*)/.exec(text.slice(offset, offset + maxKeyShown))?.[1] ?? '';
      return `line ${line}: key ${JSON.stringify(key.trim())} already set in map`;
    });
    const value = plain(document.toJS({ maxAliasCount: maxAliases }));
    return told.length === 0 ? { value } : { value, told };
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: yaml: ${firstLine((error as Error).message)}`);
  }
}

const firstLine = (text: string) => text.split('\n', 1)[0] as string;

/** Every value of an honest document takes at least a byte of it; aliases may make a few more. */
const maxYamlValues = 4 * maxYamlBytes;

/** Small integers as numbers; what aliases share becomes separate, within bounds. */
function plain(value: unknown): JsonValue {
  let left = maxYamlValues;
  const walk = (item: unknown, depth: number): JsonValue => {
    if (--left < 0 || depth > maxJsonDepth) throw new Error('document is nested or aliased too much');
    if (typeof item === 'bigint') return Number.isSafeInteger(Number(item)) ? Number(item) : item;
    if (Array.isArray(item)) return item.map((member) => walk(member, depth + 1));
    if (!isJsonObject(item)) return (item ?? null) as JsonValue;
    const object: JsonObject = {};
    for (const key of Object.keys(item)) setOwn(object, key, walk(item[key], depth + 1));
    return object;
  };
  return walk(value, 0);
}
