// PATCH: the patched object goes the way of an update; an apply may also create it.

import { isJsonObject, type JsonValue } from '../../base/json/json.ts';
import { UndecodableError } from '../../codec/decode-object.ts';
import { checkIntegers, type Target } from '../../codec/integer-literals.ts';
import { type Parsed, strictErrors } from '../../codec/strict.ts';
import { invalidValue } from '../../meta/field-errors.ts';
import type { ApiObject } from '../../meta/object.ts';
import { badRequest, plainError } from '../../meta/status.ts';
import { invalidPatch, patchTooLarge } from '../../meta/write-errors.ts';
import { MalformedPatchError, PatchFailedError, targetIn } from '../../patch/json-patch.ts';
import { PatchTooLargeError, PatchWork } from '../../patch/patch-work.ts';
import { UnusablePatchError } from '../../patch/strategic-merge-patch.ts';
import { update as updateObject } from '../../registry/update.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import { TypeMismatch } from '../../wording/type-mismatch.ts';
import { patchedText } from '../../wording/types/patched-text.ts';
import { restoreProblem } from '../../wording/types/restore-problem.ts';
import { answerObject } from '../answer.ts';
import type { Call, VerbHandler } from '../call.ts';
import { representationOf } from '../representation.ts';
import { withOwners } from './field-management.ts';
import { jsonPatch, patchTypeOf, strategicPatch } from './patch-type.ts';
import { decodeInput, decodeRestored, type Input } from './read-object.ts';
import { type Patch, readPatch } from './read-patch.ts';
import { fromSaidVersion } from './said-version.ts';
import { applying } from './server-side-apply.ts';
import { unversioned } from './unversioned-object.ts';
import { admittedChange, type Next } from './update.ts';
import { checkUrlName } from './url-match.ts';
import { refuseBody, reportStrictErrors } from './write-parameters.ts';

export const patch: VerbHandler = async (call) => {
  const type = patchTypeOf(call);
  // custom resources have no other paths for one object than for all
  if (call.ref.name === '') throw badRequest('name must be provided');
  const form = representationOf(call);
  const wanted = await readPatch(call, type);
  const isApply = wanted.change === undefined;
  const next = isApply ? applying(call, wanted) : patching(call, wanted);
  const mayCreate = isApply && call.subresource === undefined ? 'always' : undefined;
  const change = admittedChange(call, wanted.dryRun, next, { mayCreate });
  const { stored, created } = await updateObject(call.registry, call.ref, change);
  return answerObject(call, stored, form, created ? 201 : 200);
};

/** The other patches are functions of the object as it is. */
function patching(call: Call, wanted: Patch): Next {
  return (current) => patchObject(call, wanted, current as ApiObject);
}

async function patchObject(call: Call, wanted: Patch, live: ApiObject): Promise<ApiObject> {
  const { fieldValidation: level } = wanted;
  const { type } = call.resource.definition;
  const result = applyTo(call, live, wanted, type);
  const made = { live, wanted, result, type };
  if (wanted.parsed.fractions !== undefined) checkPatchIntegers(call, made);
  const { object, unknownFields, managers } = await decodePatched(call, made);
  if (level !== 'Ignore' || call.services.dialect.rules.incompleteObject === 400)
    reportStrictErrors(call.exchange, errorsOf(wanted, unknownFields), level, refusePatch(call, made));
  checkUrlName(object, call);
  // most patches do not speak of managedFields
  const isSilent = object.metadata.managedFields === live.metadata.managedFields;
  return withOwners(call, object, live, isSilent ? 'none' : managers);
}

async function decodePatched(call: Call, made: PatchedObject): Promise<Input> {
  const { live, wanted, result, type } = made;
  const options = { known: live, isPatched: true };
  try {
    if (wanted.mediaType === strategicPatch) return decodeRestored(call, result, options);
    const bare = unversioned(type, result) ?? (await fromSaidVersion(call, result));
    const input = decodeInput(call, bare?.value ?? result, options);
    return bare === undefined ? input : { ...input, unknownFields: [...input.unknownFields, ...bare.unknownFields] };
  } catch (error) {
    throw asPatchError(call, error, made);
  }
}

/** What a merge patch or a JSON patch sets becomes a piece of the object's text; the others are values. */
export function checkPatchIntegers(call: Call, made: PatchedObject): void {
  const { type } = made;
  const { mediaType, parsed } = made.wanted;
  if (mediaType === strategicPatch) return;
  const target: Target | undefined = mediaType === jsonPatch ? (path) => targetIn(parsed.value, path) : undefined;
  asPatch(call, () => checkIntegers(type, parsed, target), made);
}

/** What is wrong with the text of a patch, then the unknown fields of the patched object, in alphabetical order. */
function errorsOf({ parsed, mediaType }: Patch, unknownFields: readonly string[]): readonly string[] {
  const inText = mediaType === jsonPatch ? operationErrors(parsed) : strictErrors(parsed, []);
  const inObject = strictErrors({ value: null }, [...unknownFields].sort());
  return inText.length === 0 ? inObject : [...inText, ...inObject];
}

const operationFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** More than any honest patch has. */
const maxUnknown = 100;

/** Fields of operations that no operation has, and keys that repeat. */
function operationErrors(parsed: Parsed): readonly string[] {
  const operations = Array.isArray(parsed.value) ? parsed.value : [];
  const unknown: string[] = [];
  for (const [index, operation] of operations.entries()) {
    if (unknown.length >= maxUnknown) break;
    if (!isJsonObject(operation)) continue;
    for (const key of Object.keys(operation)) if (!operationFields.has(key)) unknown.push(`[${index}].${key}`);
  }
  return strictErrors(parsed, unknown).map((text) => `json patch ${text}`);
}

/** A patch that makes something of an object that is none is invalid, where a body would be a bad request. */
export function asPatch<T>(call: Call, decode: () => T, made: PatchedObject): T {
  try {
    return decode();
  } catch (error) {
    throw asPatchError(call, error, made);
  }
}

function asPatchError(call: Call, error: unknown, made: PatchedObject): unknown {
  if (error instanceof UndecodableError) return refuseMismatch(call, error.why, made);
  return error instanceof TypeMismatch ? refuseMismatch(call, error.message, made) : error;
}

/** What a patch made of an object. */
interface PatchedObject {
  readonly live: ApiObject;
  readonly wanted: Patch;
  readonly result: JsonValue;
  readonly type: ObjectType;
}

function refuseMismatch(call: Call, told: string, made: PatchedObject): Error {
  const { type, result, wanted } = made;
  const isStrategic = wanted.mediaType === strategicPatch && type.is === 'struct';
  return refusePatch(call, made)((isStrategic && restoreProblem(type, result)) || told);
}

/** The patched object as a value. */
export function applyTo(call: Call, current: ApiObject, patch: Patch, type: ObjectType): JsonValue {
  const { mediaType, change, parsed, broken } = patch;
  if (broken !== undefined) throw broken;
  const work = new PatchWork(() => call.exchange.moveIfPossible());
  try {
    const result = change?.(current as unknown as JsonValue, parsed.value, type, work) ?? null;
    return mediaType === strategicPatch ? withTypeOf(current, result) : result;
  } catch (error) {
    if (error instanceof MalformedPatchError) throw badRequest(error.message);
    // compat: a strategic merge patch that cannot be carried out is a bare 500
    if (error instanceof UnusablePatchError) throw plainError(error.message);
    if (error instanceof PatchTooLargeError) throw patchTooLarge(error.message);
    if (error instanceof PatchFailedError)
      throw invalidPatch(`the server rejected our request due to an error in our request`);
    throw error;
  }
}

/** A strategic merge patch is of a type, so that it cannot make another of it. */
function withTypeOf({ kind, apiVersion }: ApiObject, result: JsonValue): JsonValue {
  if (!isJsonObject(result)) return result;
  // as it mostly is; a copy of a large object takes long
  if (result['kind'] === kind && result['apiVersion'] === apiVersion) return result;
  const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';
  return isText(result['kind']) && isText(result['apiVersion']) ? { ...result, kind, apiVersion } : result;
}

/** Longer patches are not repeated to the client. */
const maxShownBytes = 64 * 1024;

/** compat: a patch with unknown fields is invalid, where a body would be a bad request */
export function refusePatch(call: Call, { live, wanted, result, type }: PatchedObject): (text: string) => Error {
  const { services, resource, exchange } = call;
  if (services.dialect.rules.strictPatch === 400) return refuseBody(resource.definition);
  return (text) => {
    if (exchange.bodyBytes > maxShownBytes) return invalidPatch(text, [patchCause(text)]);
    const { message } = invalidValue(
      'patch',
      patchedText({ live, result, type }, { form: formOf(wanted), value: wanted.parsed.value }),
      text,
    );
    return invalidPatch(` "" is invalid: patch: ${message}`, [patchCause(message)]);
  };
}

const formOf = ({ mediaType }: Patch) =>
  mediaType === jsonPatch ? 'json' : mediaType === strategicPatch ? 'strategic' : 'merge';

const patchCause = (message: string) => ({ reason: 'FieldValueInvalid', message, field: 'patch' });
