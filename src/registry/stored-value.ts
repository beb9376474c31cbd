// What a store may hold for an object: our own canonical JSON, JSON or protobuf that another server wrote, or something
// that cannot be read at all.

import { bufferOf } from '../base/bytes.ts';
import { isJsonObject } from '../base/json.ts';
import { parseJsonText } from '../base/json-scan.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { isEnvelope, openEnvelope } from '../codec/protobuf/envelope.ts';
import { decodeMessage } from '../codec/protobuf/message.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { Draft } from './draft.ts';
import type { KindVersions } from './versions.ts';

/** The stored bytes are no object of this resource; the message says why. */
export class UnreadableValueError extends Error {}

/** The canonical JSON of a stored value in the definition's version; our own is returned as it is. */
export function canonicalValue(definition: ResourceDefinition, versions: KindVersions, value: Uint8Array): Uint8Array {
  const source = bufferOf(value);
  const object = isEnvelope(source) ? readProtobuf(versions, source) : readJson(source);
  checkType(versions, object);
  if (isCanonical(definition, source)) return value;
  const converted = versions.convert(object, definition);
  return new Draft(inDeclaredOrder(definition.type, converted) as ApiObject).value;
}

function readProtobuf(versions: KindVersions, source: Buffer): unknown {
  try {
    const { apiVersion, kind, raw } = openEnvelope(source);
    // the numbers of another kind mean other fields
    const written = versions.find(apiVersion);
    if (written?.kind !== kind) return { kind, apiVersion, metadata: {} };
    // zeros are written out in protobuf and left out in JSON
    return decodeObject(written, { kind, apiVersion, ...decodeMessage(written.type, raw) }).object;
  } catch (error) {
    throw new UnreadableValueError(`it is no protobuf object: ${(error as Error).message}`, { cause: error });
  }
}

function readJson(source: Buffer): unknown {
  try {
    return parseJsonText(source.toString());
  } catch (error) {
    throw new UnreadableValueError('it is no JSON', { cause: error });
  }
}

function checkType(versions: KindVersions, object: unknown): asserts object is ApiObject {
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) throw new UnreadableValueError('it is no object');
  const { kind, apiVersion } = object;
  if (kind !== undefined && versions.find(String(apiVersion))?.kind === kind) return;
  const found = JSON.stringify(`${String(apiVersion)} ${String(kind)}`.slice(0, 200));
  throw new UnreadableValueError(`it is of another type: ${found}`);
}

const uidMark = Buffer.from('"uid":"');
/** What stands before the uid when it is the uid of the object itself. */
const beforeUid = /^(?:"(?:name|generateName|namespace|selfLink)":"[^"\\]*",)*$/;

/** Whether the value begins as ours do, so that it can be sent, and given a version, without being parsed. */
function isCanonical(definition: ResourceDefinition, source: Buffer): boolean {
  const start = startOf(definition);
  const at = source.indexOf(uidMark);
  return (
    at >= start.length &&
    source.compare(start, 0, start.length, 0, start.length) === 0 &&
    source[source.length - 1] === 0x7d &&
    beforeUid.test(source.toString('utf8', start.length, at))
  );
}

const starts = new WeakMap<ResourceDefinition, Buffer>();

function startOf(definition: ResourceDefinition): Buffer {
  let start = starts.get(definition);
  if (start === undefined) {
    start = Buffer.from(`{"kind":"${definition.kind}","apiVersion":"${formatApiVersion(definition)}","metadata":{`);
    starts.set(definition, start);
  }
  return start;
}
