// The object that a webhook answers with, in whatever format it is written.
//
// compat: an answer is read by what it looks like, whatever its content type says: JSON, YAML or protobuf

import { isJsonObject, type JsonObject, type JsonValue } from '../base/json/json.ts';
import { parseBody, UnrecognizedError } from '../codec/body.ts';
import { decodeObject, type ExpectedKind, UndecodableError } from '../codec/decode-object.ts';
import { mediaTypeProblem } from '../codec/media-type.ts';
import { isEnvelope, openEnvelope } from '../codec/protobuf/envelope.ts';
import { decodeObjectMessage } from '../codec/protobuf/object-message.ts';
import { status } from '../groups/meta/v1/types.ts';
import { kubernetes } from '../meta/dialect.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import { reviewScheme } from './review-scheme.ts';

export interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

/** Throws an error with a text if the answer is not an object of that kind; kind and apiVersion come from the answer. */
export async function answeredObject(
  { status: code, type, bytes }: Answer,
  expected: ExpectedKind,
): Promise<JsonObject> {
  if (bytes.length === 0)
    throw new Error(`0-length response with status code: ${code} and content type: ${type || usualType}`);
  try {
    const value = isEnvelope(bytes) ? messageIn(bytes, expected) : await textIn(bytes, expected);
    const { kind: _, apiVersion: __, ...fields } = decodeObject(expected, value).object;
    return { ...typeMetaOf(value), ...(fields as unknown as JsonObject) };
  } catch (error) {
    throw error instanceof UnrecognizedError || error instanceof UndecodableError ? new Error(error.why) : error;
  }
}

/** The kind and apiVersion of an answer. */
function typeMetaOf(value: JsonValue): JsonObject {
  const { kind, apiVersion } = isJsonObject(value) ? value : ({} as JsonObject);
  return { ...(kind ? { kind } : {}), ...(apiVersion ? { apiVersion } : {}) };
}

const usualType = 'application/json';

/** The error of the content type of an answer; undefined if it is valid. */
export const typeProblem = ({ type }: Answer): string | undefined => {
  const problem = type === undefined || type === '' ? undefined : mediaTypeProblem(type);
  return problem === undefined ? undefined : `Internal error occurred: ${problem}`;
};

async function textIn(bytes: Buffer, { type }: ExpectedKind): Promise<JsonValue> {
  const format = looksLikeJson(bytes) ? usualType : 'application/yaml';
  const { value } = await parseBody(format, bytes, type, kubernetes);
  return value;
}

function looksLikeJson(bytes: Buffer): boolean {
  let at = 0;
  while (blanks.has(bytes[at] as number)) at++;
  return bytes[at] === 0x7b;
}

const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0b, 0x0c, 0x0d]);

/** Messages say outside of themselves what they are. */
function messageIn(bytes: Buffer, expected: ExpectedKind): JsonValue {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  const [version, name] = [apiVersion || formatApiVersion(expected), kind || expected.kind];
  const isThis = version === formatApiVersion(expected) && name === expected.kind;
  return { ...(isThis ? decodeObjectMessage(expected.type, raw) : {}), apiVersion: version, kind: name };
}

const statusKind: ExpectedKind = {
  ...{ group: '', version: 'v1', kind: 'Status', type: status },
  scheme: reviewScheme({ name: '', group: '', versions: [], kinds: [] }),
};

/** The failure Status in an answer; undefined for other answers. */
export async function answeredFailure(answer: Answer): Promise<JsonObject | undefined> {
  try {
    const answered = await answeredObject(answer, statusKind);
    return answered['status'] === 'Failure' ? answered : undefined;
  } catch {
    return undefined;
  }
}
