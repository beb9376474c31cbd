// The body of a PATCH, and how it is to be applied: by its media type.

import { isJsonObject, type JsonValue } from '../../base/json/json.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { parseJson, parseYaml, UnreadableError } from '../../codec/body.ts';
import { infiniteNumberIn, keepAmounts } from '../../codec/integer-literals.ts';
import type { Parsed } from '../../codec/strict.ts';
import type { MovableRequest } from '../../meta/move-to-lane.ts';
import { ApiError, badRequest } from '../../meta/status.ts';
import { applyJsonPatch, MalformedPatchError, targetIn } from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import type { PatchWork } from '../../patch/patch-work.ts';
import { applyStrategicMergePatch } from '../../patch/strategic-merge-patch.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { cannotUnmarshal, jsonForm } from '../../wording/type-mismatch.ts';
import type { Call } from '../call.ts';
import { applyPatch, jsonPatch, mergePatch, strategicPatch } from './patch-type.ts';
import { type PatchParameters, patchParameters } from './write-parameters.ts';

type ApplyPatch = (target: JsonValue, patch: JsonValue, type: ObjectType, work: PatchWork) => JsonValue;

const appliers: ReadonlyMap<string, ApplyPatch> = new Map<string, ApplyPatch>([
  [jsonPatch, (target, patch, _type, work) => applyJsonPatch(target, patch, work)],
  [mergePatch, mergeObjects],
  [
    strategicPatch,
    (target, patch, type, work) =>
      applyStrategicMergePatch(target, patch, type.is === 'struct' ? type : undefined, work),
  ],
]);

/** A merge patch that is no object would make something else of the object. */
function mergeObjects(target: JsonValue, patch: JsonValue): JsonValue {
  if (patch === null) throw new MalformedPatchError('Invalid JSON Patch');
  if (!isJsonObject(patch)) throw new MalformedPatchError(`error decoding patch: ${notAnObject(patch)}`);
  return applyMergePatch(target, patch);
}

export const notAnObject = (value: JsonValue): string =>
  `json: cannot unmarshal ${jsonForm(value)} into Go value of type ${anyObject}`;

/** What a client sent, and how it is applied. */
export interface Patch extends PatchParameters {
  readonly mediaType: string;
  /** Undefined for server-side apply, which is no function of the object alone. */
  readonly change: ApplyPatch | undefined;
  readonly parsed: Parsed;
  /** Why the body could not be read; that matters only where there is something to patch. */
  readonly broken?: Error | undefined;
}

/** compat: messages name types as the reference implementation's language does */
const anyObject = 'map[string]interface {}';

/** `type` is the media type of the body, one of those that the resource can be patched with. */
export async function readPatch({ exchange, services, resource }: Call, type: string): Promise<Patch> {
  const { dryRun, fieldValidation, force } = patchParameters(exchange, services.dialect, type === applyPatch);
  const bytes = await exchange.readBody(services.maxBodyBytes);
  exchange.bodyBytes = bytes.length;
  const reading =
    type === applyPatch ? parseConfiguration(bytes, exchange) : parsePatch(bytes, type, resource.definition.type);
  const { parsed, broken } = isPromise(reading) ? await reading : reading;
  exchange.audit?.captureRequest(parsed.value);
  return { dryRun, fieldValidation, force, mediaType: type, change: appliers.get(type), parsed, broken };
}

type ReadPatch = Pick<Patch, 'parsed' | 'broken'>;

function parsePatch(bytes: Uint8Array, type: string, of: ObjectType): ReadPatch {
  const refuse = (error: unknown): ReadPatch => {
    if (error instanceof ApiError && error.code === 413) throw error;
    const why = error instanceof UnreadableError ? error.why : (error as Error).message;
    return {
      parsed: { value: null },
      broken: badRequest(type === strategicPatch ? why : `error decoding patch: ${why}`),
    };
  };
  const accept = (parsed: Parsed): ReadPatch => {
    const unfit = tooLargeIn(parsed, type);
    if (unfit !== undefined) return refuse(new Error(unfit));
    // the other patches become pieces of the object's text
    if (type !== strategicPatch)
      keepAmounts(of, parsed, type === jsonPatch ? (path) => targetIn(parsed.value, path) : undefined);
    return { parsed };
  };
  try {
    return accept(parseJson(bytes));
  } catch (error) {
    return refuse(error);
  }
}

/** What is said of a number that is too large to be one; of a JSON patch only values are numbers. */
function tooLargeIn(parsed: Parsed, type: string): string | undefined {
  const isJsonPatch = type === jsonPatch;
  const literal = infiniteNumberIn(parsed, (path) => !isJsonPatch || path[1] === 'value');
  const into = isJsonPatch ? 'struct field jsonPatchOp.value' : 'value';
  return literal === undefined ? undefined : cannotUnmarshal(`number ${literal}`, into, 'float64');
}

/** JSON is read at once. */
function parseConfiguration(bytes: Uint8Array, request: MovableRequest): MaybePromise<ReadPatch> {
  const parsed = parseYaml(bytes, { request });
  return isPromise(parsed) ? parsed.then((value) => ({ parsed: value }), refuseYaml) : { parsed };
}

function refuseYaml(error: unknown): never {
  if (error instanceof UnreadableError) throw badRequest(`error decoding YAML: ${error.message}`);
  throw error;
}
