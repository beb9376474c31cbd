// Request bodies: bytes to plain values.

import { bufferOf } from '../base/bytes.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn, withSortedKeys } from '../base/json/json.ts';
import { endOfString } from '../base/json/json-member.ts';
import { JsonSyntaxError, maxJsonDepth, parseJsonText, scanJson } from '../base/json/json-scan.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { maxBodyValues } from '../meta/body-limits.ts';
import type { DialectNames } from '../meta/dialect.ts';
import { parseApiVersion } from '../meta/group-version.ts';
import type { MovableRequest } from '../meta/move-to-lane.ts';
import { ApiError, badRequest, requestEntityTooLarge, tooManyValues, unsupportedMediaType } from '../meta/status.ts';
import { type ObjectType, takesOtherKinds } from '../schema/object-type.ts';
import { TypeMismatch } from '../wording/type-mismatch.ts';
import { explainMismatch } from '../wording/types/explain-mismatch.ts';
import { type Format, formatOf, offeredTypes } from './accept.ts';
import { missingKind, typeMetaProblem, UndecodableError } from './decode-object.ts';
import { keepAmounts, withWrittenNumber } from './integer-literals.ts';
import { parseMediaType } from './media-type.ts';
import { openEnvelope } from './protobuf/envelope.ts';
import { decodeObjectMessage } from './protobuf/object-message.ts';
import { MalformedProtobufError, TooManyFieldsError, withFieldLimit } from './protobuf/reader.ts';
import { joinRepeated } from './repeated-keys.ts';
import { lossyHintsOf, type Parsed } from './strict.ts';
import { readYamlText, TooManyYamlValuesError } from './yaml-reader.ts';

type Parse = (bytes: Uint8Array, type: ObjectType, request?: MovableRequest) => Parsed | Promise<Parsed>;

const parsers: Readonly<Record<Format, Parse>> = {
  json: jsonObject,
  yaml: yamlObject,
  protobuf: parseProtobuf,
};

/** Text that is none of its format. */
export class UnreadableError extends ApiError {
  /** What is wrong, without saying what was tried. */
  readonly why: string;

  constructor(tried: string, why: string) {
    super({ code: 400, reason: 'BadRequest', message: `${tried}: ${why}` });
    this.why = why;
  }
}

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

/** The same, for who looks at the parameters too: empty where they are malformed. */
const wholeTypeOf = (contentType: string | undefined): string =>
  contentType?.includes(';') ? (parseMediaType(contentType) ?? '') : mediaTypeOf(contentType);

/** Throws 415 for a media type that objects are not written in. `type` is what the body should hold. */
export function parseBody(
  contentType: string | undefined,
  bytes: Uint8Array,
  type: ObjectType,
  dialect: DialectNames,
  request?: MovableRequest,
): Parsed | Promise<Parsed> {
  return parsers[requireFormat(contentType, dialect)](bytes, type, request);
}

/** Throws 415 for a media type that objects are not written in. */
export function requireFormat(contentType: string | undefined, dialect: DialectNames): keyof typeof parsers {
  const format = formatOf(wholeTypeOf(contentType), dialect);
  if (format === undefined) throw unsupportedMediaType(offeredTypes(dialect));
  return format;
}

function jsonObject(bytes: Uint8Array, type: ObjectType): Parsed {
  const parsed = jsonOf(bytes, type);
  checkRecognizable(type, bytes, parsed);
  keepAmounts(type, parsed);
  refuseFractions(type, parsed);
  return parsed.repeating === undefined ? parsed : { ...parsed, value: joinRepeated(type, parsed) };
}

function jsonOf(bytes: Uint8Array, type: ObjectType): Parsed {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw unrecognized(type, bytes, `couldn't get version/kind; json parse error: ${error.why}`);
  }
}

function refuseFractions(type: ObjectType, parsed: Parsed): void {
  const wrong = unfitNumberIn(type, parsed);
  if (wrong === undefined) return;
  const version = type.home.slice(type.home.lastIndexOf('/') + 1);
  throw new UndecodableError(wrong.message, { group: '', version, kind: type.name, type });
}

function unfitNumberIn(type: ObjectType, parsed: Parsed): { readonly message: string } | undefined {
  try {
    const value = withWrittenNumber(type, parsed);
    return value !== undefined && type.is === 'struct' ? explainMismatch(type, value) : undefined;
  } catch (error) {
    if (error instanceof TypeMismatch) return error;
    throw error;
  }
}

async function yamlObject(bytes: Uint8Array, type: ObjectType, request?: MovableRequest): Promise<Parsed> {
  try {
    const parsed = await parseYaml(bytes, { request });
    // compat: unknown fields of a YAML body are told in alphabetical order
    const sorted = { ...parsed, value: withSortedKeys(parsed.value) };
    checkRecognizable(type, bytes, sorted);
    return sorted;
  } catch (error) {
    if (error instanceof UnreadableError) throw unrecognized(type, bytes, error.why);
    throw error;
  }
}

/** Throws for a value that cannot be an object. */
function checkRecognizable(type: ObjectType, bytes: Uint8Array, { value }: Parsed): void {
  const problem = typeMetaProblem(value) ?? kindProblem(type, value, bytes);
  if (problem !== undefined) throw unrecognized(type, bytes, problem);
}

/** Objects whose type a user wrote have to say what they are. */
function kindProblem(type: ObjectType, value: JsonValue, bytes: Uint8Array): string | undefined {
  if (!takesOtherKinds(type) || (isJsonObject(value) && value['kind'])) return undefined;
  return missingKind(bufferOf(bytes).toString('utf8'));
}

/** A body that cannot be an object of any kind. */
export class UnrecognizedError extends ApiError {
  /** What is wrong, without saying what the body should be. */
  readonly why: string;

  constructor(type: ObjectType, bytes: Uint8Array, why: string) {
    const wanted = `the object provided is unrecognized (must be of type ${type.name})`;
    super({ code: 400, reason: 'BadRequest', message: `${wanted}: ${why} (${summary(bytes)})` });
    this.why = why;
  }
}

const unrecognized = (type: ObjectType, bytes: Uint8Array, why: string): ApiError =>
  new UnrecognizedError(type, bytes, why);

function parseProtobuf(bytes: Uint8Array, type: ObjectType): Parsed {
  const { kind, raw, ...said } = readable(
    () => openEnvelope(bytes),
    (why) => unrecognized(type, bytes, why),
  );
  // compat: an envelope of protobuf whose version is none says no version
  const apiVersion = parseApiVersion(said.apiVersion) === undefined ? '' : said.apiVersion;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  // another kind is for the caller to refuse: its numbers mean other fields
  if (kind !== '' && kind !== type.name) return { value: { apiVersion, kind } };
  const read = readable(
    () => decodeObjectMessage(type, raw),
    (why) =>
      badRequest(`${type.name} in version ${JSON.stringify(version)} cannot be handled as a ${type.name}: ${why}`),
  );
  return { value: { apiVersion, kind, ...read }, leavesOutEmpty: true };
}

/** A message that cannot be read is a bad request. */
function readable<T>(read: () => T, refusal: (why: string) => ApiError): T {
  try {
    return withFieldLimit(maxBodyValues, read);
  } catch (error) {
    if (error instanceof TooManyFieldsError) throw tooManyValues(maxBodyValues);
    if (error instanceof MalformedProtobufError) throw refusal(error.message);
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

/** Documents shorter than this cannot be too deep, and have few values. */
const maxFlatBytes = 2 * maxJsonDepth;

/** Throws for a document that has too many values, or is too deep. */
function checkShape(bytes: Uint8Array, most: number): void {
  if (bytes.length < maxFlatBytes) return;
  let values = 1;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x22) at = endOfString(bytes, at);
    else if (byte === 0x2c) {
      if (++values > most) throw tooManyValues(most);
    } else if (byte === 0x7b || byte === 0x5b) {
      values++;
      if (++depth > maxJsonDepth) throw badRequest(`the body is nested more than ${maxJsonDepth} levels deep`);
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  if (values > most) throw tooManyValues(most);
}

export function parseJson(bytes: Uint8Array, most = maxBodyValues): Parsed {
  checkShape(bytes, most);
  const text = bufferOf(bytes).toString('utf8');
  const value = parseText(text);
  const { repeats, fractions } = lossyHintsOf(text, value);
  if (!repeats && !fractions) return { value };
  return { value, ...(repeats ? { repeating: text } : {}), ...(fractions ? { fractions: text } : {}) };
}

function parseText(text: string): JsonValue {
  try {
    const value = parseJsonText(text);
    return text.includes('\\u') && halfCharacter.test(text) ? wellFormed(value) : value;
  } catch (error) {
    throw new UnreadableError('json parse error', whereItBreaks(text) ?? (error as Error).message);
  }
}

/** One of the two halves in which JSON may write a character. */
const halfCharacter = /\\u[dD][89a-fA-F]/;

/** Halves that lack the other one become replacement characters: no text could be written with them. */
function wellFormed(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isJsonObject(value)) return value;
  const object: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(object, key.toWellFormed(), wellFormed(value[key] as JsonValue));
  return object;
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

/** YAML is slow to parse, and for people, who do not write this much by hand. */
const maxYamlBytes = 256 * 1024;
/** The library takes 2 to 4 ms for a kilobyte: 8 KB of YAML take as long as a large request. */
const yamlWeight = 16;

interface YamlLimits {
  /** Configuration files may be longer than what a client sends. */
  readonly maxBytes?: number;
  /** Moves to the lane where the text takes long to read. */
  readonly request?: MovableRequest | undefined;
}

export function parseYaml(bytes: Uint8Array, limits: YamlLimits = {}): MaybePromise<Parsed> {
  // JSON is YAML: what clients send as one is mostly the other
  return readAsYaml(bytes, bytes[0] === 0x7b ? parseJsonAsYaml(bytes) : undefined, limits);
}

function readAsYaml(bytes: Uint8Array, parsed: Parsed | undefined, limits: YamlLimits): MaybePromise<Parsed> {
  const { maxBytes = maxYamlBytes, request } = limits;
  if (parsed !== undefined && (parsed.repeating === undefined || bytes.length > maxBytes)) return parsed;
  if (parsed === undefined && bytes.length > maxYamlDepth) refuseDepth(bytes);
  if (bytes.length > maxBytes) return Promise.reject(requestEntityTooLarge(maxBytes));
  request?.moveIfLarge(bytes.length * yamlWeight);
  const text = bufferOf(bytes).toString('utf8');
  return parsed === undefined ? readYaml(text) : toldAsYaml(parsed, text);
}

const maxYamlDepth = 10_000;

/** What is nested too deep is no YAML, however long it is. */
function refuseDepth(bytes: Uint8Array): void {
  let depth = 0;
  let line = 1;
  for (const byte of bytes) {
    if (byte === 0x0a) line++;
    else if (byte === 0x5d || byte === 0x7d) depth--;
    else if ((byte === 0x5b || byte === 0x7b) && ++depth > maxYamlDepth) throw tooDeep(line);
  }
}

function tooDeep(line: number): UnreadableError {
  const where = line === 1 ? '' : `line ${line}: `;
  return new UnreadableError('error converting YAML to JSON', `yaml: ${where}exceeded max depth of ${maxYamlDepth}`);
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

/** Undefined for what is no JSON; what has too many values as JSON has too many as YAML. */
function parseJsonAsYaml(bytes: Uint8Array): Parsed | undefined {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof ApiError && error.code === 413) throw error;
    return undefined;
  }
}

async function readYaml(text: string): Promise<Parsed> {
  try {
    const { value, told } = await readYamlText(text, maxBodyValues);
    return told.length === 0 ? { value } : { value, told };
  } catch (error) {
    if (error instanceof TooManyYamlValuesError) throw tooManyValues(maxBodyValues);
    throw new UnreadableError('error converting YAML to JSON', (error as Error).message);
  }
}
