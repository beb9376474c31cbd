// What a store may hold for an object: our own canonical JSON, JSON or protobuf that another server wrote, or something
// that cannot be read at all.

import { bufferOf } from '../base/bytes.ts';
import { isJsonObject, isSameJson, type JsonObject } from '../base/json/json.ts';
import { parseJsonText } from '../base/json/json-scan.ts';
import { memoized } from '../base/memoized.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { isEnvelope, openEnvelope } from '../codec/protobuf/envelope.ts';
import { decodeObjectMessage } from '../codec/protobuf/object-message.ts';
import { maxBodyBytes, maxBodyValues } from '../meta/body-limits.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { isShownAsStored, settleStored } from '../schema/object-type.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StrategyContext } from '../schema/strategy.ts';
import { encryptedWith } from '../storage/encryption/encrypted-with.ts';
import { UndecryptedValue } from '../storage/encryption/undecrypted-value.ts';
import { EncodedObject } from './encoded-object.ts';
import type { KindVersions } from './versions.ts';

/** The stored bytes are no object of this resource; the message says why. */
export class UnreadableValueError extends Error {}

interface CanonicalValue {
  /** The version the value is in. */
  readonly definition: ResourceDefinition;
  readonly value: Uint8Array;
  /** What the value says. */
  readonly object: ApiObject;
  /** Why clients cannot be shown the object, if so. */
  readonly flaw?: string;
}

/** The flaw of objects that lack their defaults. */
export const tooLargeDefaults = ({ group, plural, version }: ResourceDefinition): string =>
  `the defaults in ${version} of the definition ${JSON.stringify(`${plural}.${group}`)} would fill in more than ` +
  `${maxBodyBytes} bytes or ${maxBodyValues} values`;

/** The canonical JSON of a stored value in the version it was stored in; our own is returned as it is. */
export function readCanonical(versions: KindVersions, value: Uint8Array, context: StrategyContext): CanonicalValue {
  if (value instanceof UndecryptedValue) throw new UnreadableValueError(value.reason);
  const source = bufferOf(value);
  const object = isEnvelope(source) ? readProtobuf(versions, source) : readJson(source);
  const definition = definitionOf(versions, object);
  const isOurs = isCanonical(definition, source);
  const { object: settled, lacksDefaults } =
    isOurs && isShownAsStored(definition.type)
      ? { object: object as JsonObject, lacksDefaults: false }
      : settleStored(definition.type, object as JsonObject);
  const shown = settled as unknown as ApiObject;
  const flaw = lacksDefaults ? { flaw: tooLargeDefaults(definition) } : {};
  const complete = withDefaults(definition, shown, context);
  if (isOurs && complete === object) return { definition, value, object: complete, ...flaw };
  const { value: canonical } = new EncodedObject(complete);
  return { definition, value: canonical, object: complete, ...flaw };
}

/** An older server, or another one, may have written it before some of the defaults came up. */
function withDefaults(definition: ResourceDefinition, object: ApiObject, context: StrategyContext): ApiObject {
  const complete = definition.strategy?.defaults?.(object, context) ?? object;
  if (complete === object || isSameJson(complete, object)) return object;
  return inDeclaredOrder(definition.type, complete) as ApiObject;
}

function readProtobuf(versions: KindVersions, source: Buffer): unknown {
  try {
    const { apiVersion, kind, raw } = openEnvelope(source);
    // the numbers of another kind mean other fields
    const written = versions.find(apiVersion);
    if (written?.kind !== kind) return { kind, apiVersion, metadata: {} };
    // zeros are written out in protobuf and left out in JSON
    return decodeObject(written, { kind, apiVersion, ...decodeObjectMessage(written.type, raw) }).object;
  } catch (error) {
    throw new UnreadableValueError(`it is no protobuf object: ${(error as Error).message}`, { cause: error });
  }
}

function readJson(source: Buffer): unknown {
  try {
    return parseJsonText(source.toString());
  } catch (error) {
    throw noJson(source, error);
  }
}

function noJson(source: Buffer, cause: unknown): UnreadableValueError {
  const encryption = encryptedWith(source);
  const problem = encryption === undefined ? 'it is no JSON' : `it is encrypted with ${encryption}: ${needsFile}`;
  return new UnreadableValueError(problem, { cause });
}

const needsFile = 'name the file with that key by --encryption-provider-config';

/** The version that an object says it is of. */
function definitionOf(versions: KindVersions, object: unknown): ResourceDefinition {
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) throw new UnreadableValueError('it is no object');
  const { kind, apiVersion } = object;
  const definition = versions.find(String(apiVersion));
  if (definition !== undefined && definition.kind === kind) return definition;
  const found = JSON.stringify(`${String(apiVersion)} ${String(kind)}`.slice(0, 200));
  throw new UnreadableValueError(`it is of another type: ${found}`);
}

const uidMark = Buffer.from('"uid":"');
/** What stands before the uid when it is the uid of the object itself. */
const beforeUid = /^(?:"(?:name|generateName|namespace|selfLink)":"[^"\\]*",)*$/;

/** Whether the value begins as ours do, so that it can be sent, and given a version, without being parsed. */
export function isCanonical(definition: ResourceDefinition, source: Buffer): boolean {
  const { length } = startOf(definition);
  const at = source.indexOf(uidMark);
  return (
    at >= length &&
    startsAs(definition, source) &&
    source[source.length - 1] === 0x7d &&
    beforeUid.test(source.toString('utf8', length, at))
  );
}

/** Whether the value begins as the canonical JSON of a version does. */
export function startsAs(definition: ResourceDefinition, source: Uint8Array): boolean {
  const start = startOf(definition);
  return source.length > start.length && start.compare(source, 0, start.length) === 0;
}

const startOf = memoized(
  (definition: ResourceDefinition): Buffer =>
    Buffer.from(`{"kind":"${definition.kind}","apiVersion":"${formatApiVersion(definition)}","metadata":{`),
);
