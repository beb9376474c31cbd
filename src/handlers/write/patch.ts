// PATCH: the patched object goes the way of an update; an apply may also create it.

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { inTurns, type Steps } from '../../base/steps.ts';
import { mediaTypeOf, parseJson, parseYaml, UnreadableError } from '../../codec/body.ts';
import { type ExpectedKind, UndecodableError } from '../../codec/decode-object.ts';
import { checkIntegers, type Target } from '../../codec/integer-literals.ts';
import { type Parsed, strictFindings } from '../../codec/strict.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import {
  ApiError,
  badRequest,
  conflict,
  plainError,
  unroutableMediaType,
  unsupportedMediaType,
} from '../../meta/status.ts';
import { invalidPatch, patchTooLarge } from '../../meta/write-errors.ts';
import {
  jsonPatching,
  MalformedPatchError,
  PatchFailedError,
  PatchTooLargeError,
  targetIn,
} from '../../patch/json-patch.ts';
import { applyMergePatch } from '../../patch/merge-patch.ts';
import { strategicMergePatching, UnusablePatchError } from '../../patch/strategic-merge-patch.ts';
import { update as updateObject } from '../../registry/update.ts';
import { jsonForm, TypeMismatch } from '../../schema/decode-context.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { answerObject } from '../answer.ts';
import type { Call, VerbHandler } from '../call.ts';
import { representationOf } from '../representation.ts';
import { applied, managing } from './field-management.ts';
import { tellNoEffect } from './no-effect.ts';
import { decodeInput } from './read-object.ts';
import { admittedChange } from './update.ts';
import { checkUrlName } from './url-match.ts';
import {
  type FieldValidation,
  type PatchParameters,
  patchParameters,
  refuseBody,
  reportFindings,
} from './write-parameters.ts';

type ApplyPatch = (target: JsonValue, patch: JsonValue, type: ObjectType) => Steps<JsonValue>;

const strategic = 'application/strategic-merge-patch+json';
const apply = 'application/apply-patch+yaml';

const patchTypes: ReadonlyMap<string, ApplyPatch> = new Map([
  ['application/json-patch+json', jsonPatching],
  ['application/merge-patch+json', mergeObjects],
  [strategic, strategicMergePatching],
]);

/** A merge patch that is no object would make something else of the object. */
// biome-ignore lint/correctness/useYield: one step
function* mergeObjects(target: JsonValue, patch: JsonValue): Steps<JsonValue> {
  if (patch === null) throw new MalformedPatchError('Invalid JSON Patch');
  if (!isJsonObject(patch)) throw new MalformedPatchError(`error decoding patch: ${notAnObject(patch)}`);
  return applyMergePatch(target, patch);
}

const notAnObject = (value: JsonValue): string =>
  `json: cannot unmarshal ${jsonForm(value)} into Go value of type ${anyObject}`;

/** What a client sent, and how it is applied. */
export interface Patch extends PatchParameters {
  /** Undefined for server-side apply, which is no function of the object alone. */
  readonly change: ApplyPatch | undefined;
  readonly parsed: Parsed;
  /** Why the body could not be read; that matters only where there is something to patch. */
  readonly broken?: Error | undefined;
}

export const patch: VerbHandler = async (call) => {
  const form = representationOf(call);
  const wanted = await readPatch(call);
  const isApply = wanted.change === undefined;
  const next = isApply ? applying(call, wanted) : patching(call, wanted);
  const mayCreate = isApply && call.subresource === undefined ? 'always' : undefined;
  const change = admittedChange(call, wanted.dryRun, next, { mayCreate });
  const { stored, created } = await updateObject(call.registry, call.ref, change);
  if (created) tellNoEffect(call, stored, wanted.dryRun);
  return answerObject(call, stored, form, created ? 201 : 200);
};

/**
 * Throws a 415 for a type that the resource cannot be patched with.
 * compat: only kinds without strategic merge patch say what they take
 */
export async function readPatch({ exchange, services, resource: { definition } }: Call): Promise<Patch> {
  const type = mediaTypeOf(exchange.request.header('content-type'));
  const offered = offeredTypes(definition);
  if (!offered.includes(type)) throw offered === allTypes ? unroutableMediaType() : unsupportedMediaType(offered);
  const { dryRun, fieldValidation, force } = patchParameters(exchange, services.dialect, type === apply);
  const bytes = await exchange.request.readBody(services.maxBodyBytes);
  const reading = type === apply ? parseConfiguration(bytes) : parsePatch(bytes, type);
  const { parsed, broken } = isPromise(reading) ? await reading : reading;
  exchange.audit?.captureRequest(parsed.value);
  return { dryRun, fieldValidation, force, change: patchTypes.get(type), parsed, broken };
}

const allTypes = [...patchTypes.keys(), apply];
const withoutStrategic = allTypes.filter((type) => type !== strategic);

function offeredTypes({ strategicMergePatch }: ResourceDefinition): readonly string[] {
  return strategicMergePatch === false ? withoutStrategic : allTypes;
}

type Next = (current: ApiObject | undefined) => MaybePromise<ApiObject>;

/** Server-side apply: the body is what the manager wants, as far as it cares. */
function applying(call: Call, wanted: Patch): Next {
  const config = configOf(call.resource.definition, wanted.parsed.value);
  return (current) => inTurns(applySteps(call, wanted, config, current));
}

// not inside the function above: V8 keeps a map per generator function, and with it the request, until a full collection
function* applySteps(
  call: Call,
  { parsed, fieldValidation, force }: Patch,
  config: JsonObject,
  current: ApiObject | undefined,
): Steps<ApiObject> {
  const merged = yield* applied(call, current, config, force);
  yield;
  reportRepeated(call, parsed, fieldValidation);
  if (current === undefined) checkNew(call, merged);
  const object = decodeMerged(call, merged, current);
  checkUrlName(object, call);
  return object;
}

/** Keys that repeat in a configuration. */
export function reportRepeated({ exchange }: Call, parsed: Parsed, level: FieldValidation): void {
  if (level === 'Ignore') return;
  const prefix = 'error strict decoding YAML: error converting YAML to JSON: ';
  reportFindings(exchange, strictFindings(parsed, []), level, badRequest, prefix);
}

/** The configuration of an apply has to say what it is. */
export function configOf(expected: ExpectedKind, value: JsonValue): JsonObject {
  const config = value ?? {};
  if (!isJsonObject(config)) {
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${notAnObject(config)}`);
  }
  const { apiVersion, kind } = config;
  if (apiVersion !== formatApiVersion(expected) || kind !== expected.kind) {
    throw badRequest(`invalid object type: ${showKind(apiVersion, kind)}`);
  }
  return config;
}

/** compat: messages name types as the reference implementation's language does */
const anyObject = 'map[string]interface {}';

/** `group/version, Kind=kind`, with an empty group where there is none. */
function showKind(apiVersion: JsonValue | undefined, kind: JsonValue | undefined): string {
  const version = textOf(apiVersion);
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textOf(kind)}`;
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** An apply that creates cannot speak of an object that was there before. */
function checkNew({ ref, registry }: Call, { metadata = {} }: ApiObject): void {
  if (metadata.uid) {
    const why = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
    throw conflict(registry.subject(ref.name), why);
  }
}

/** The other patches are functions of the object as it is. */
function patching(call: Call, wanted: Patch): Next {
  return (current) => inTurns(patchSteps(call, wanted, current as ApiObject));
}

function* patchSteps(call: Call, wanted: Patch, live: ApiObject): Steps<ApiObject> {
  const { fieldValidation: level } = wanted;
  const result = yield* patched(live, wanted, call.resource.definition.type);
  yield;
  if (wanted.parsed.fractions !== undefined || wanted.parsed.seen)
    checkNumbers(call, wanted, call.resource.definition.type);
  const { object, unknownFields, managers } = asPatch(call, () => decodeInput(call, result, live));
  if (level !== 'Ignore') reportFindings(call.exchange, findingsOf(wanted, unknownFields), level, refusePatch(call));
  checkUrlName(object, call);
  // most patches do not speak of managedFields
  const isSilent = object.metadata.managedFields === live.metadata.managedFields;
  yield;
  return yield* managing(call, object, live, isSilent ? 'none' : managers);
}

/** What a merge patch or a JSON patch sets becomes a piece of the object's text; the others are values. */
export function checkNumbers(call: Call, { change, parsed }: Patch, type: ObjectType): void {
  if (change === strategicMergePatching) return;
  const target: Target | undefined = change === jsonPatching ? (path) => targetIn(parsed.value, path) : undefined;
  asPatch(call, () => checkIntegers(type, parsed, target));
}

/** What is wrong with the text of a patch, then the unknown fields of the patched object, in alphabetical order. */
function findingsOf({ parsed, change }: Patch, unknownFields: readonly string[]): readonly string[] {
  const inText = change === jsonPatching ? operationFindings(parsed) : strictFindings(parsed, []);
  const inObject = strictFindings({ value: null }, [...unknownFields].sort());
  return inText.length === 0 ? inObject : [...inText, ...inObject];
}

const operationFields: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** More than any honest patch has. */
const maxUnknown = 100;

/** Fields of operations that no operation has, and keys that repeat. */
function operationFindings(parsed: Parsed): readonly string[] {
  const operations = Array.isArray(parsed.value) ? parsed.value : [];
  const unknown: string[] = [];
  for (const [index, operation] of operations.entries()) {
    if (unknown.length >= maxUnknown) break;
    if (!isJsonObject(operation)) continue;
    for (const key of Object.keys(operation)) if (!operationFields.has(key)) unknown.push(`[${index}].${key}`);
  }
  return strictFindings(parsed, unknown).map((text) => `json patch ${text}`);
}

/** A patch that makes something of an object that is none is invalid, where a body would be a bad request. */
export function asPatch<T>(call: Call, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof UndecodableError) throw refusePatch(call)(error.why);
    if (error instanceof TypeMismatch) throw refusePatch(call)(error.message);
    throw error;
  }
}

/** What an apply made, decoded and defaulted; its managedFields are ours and need no decoding. */
export function decodeMerged(call: Call, merged: ApiObject, live: ApiObject | undefined): ApiObject {
  const { managedFields } = merged.metadata;
  const known = { ...live, metadata: { ...live?.metadata, managedFields } } as ApiObject;
  return convertible(merged, () => decodeInput(call, merged as unknown as JsonValue, known)).object;
}

/** A value that fits by its form may still be no value of its type, such as an amount that is no number. */
function convertible<T>({ kind, apiVersion, metadata }: ApiObject, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof UndecodableError)) throw error;
    const { namespace = '', name = '' } = metadata;
    const which = `${namespace}/${name}; ${showKind(apiVersion, kind)}`;
    throw plainError(`failed to convert new object (${which}) to proper version: ${error.why}`);
  }
}

type ReadPatch = Pick<Patch, 'parsed' | 'broken'>;

function parsePatch(bytes: Uint8Array, type: string): MaybePromise<ReadPatch> {
  const refuse = (error: unknown): ReadPatch => {
    if (error instanceof ApiError && error.code === 413) throw error;
    const why = error instanceof UnreadableError ? error.why : (error as Error).message;
    return { parsed: { value: null }, broken: badRequest(type === strategic ? why : `error decoding patch: ${why}`) };
  };
  try {
    const parsed = parseJson(bytes);
    return isPromise(parsed) ? parsed.then((value) => ({ parsed: value }), refuse) : { parsed };
  } catch (error) {
    return refuse(error);
  }
}

/** JSON is read at once. */
function parseConfiguration(bytes: Uint8Array): MaybePromise<ReadPatch> {
  const parsed = parseYaml(bytes);
  return isPromise(parsed) ? parsed.then((value) => ({ parsed: value }), refuseYaml) : { parsed };
}

function refuseYaml(error: unknown): never {
  if (error instanceof UnreadableError) throw badRequest(`error decoding YAML: ${error.message}`);
  throw error;
}

export function* patched(current: ApiObject, { change, parsed, broken }: Patch, type: ObjectType): Steps<JsonValue> {
  if (broken !== undefined) throw broken;
  try {
    const result = change === undefined ? null : yield* change(current as unknown as JsonValue, parsed.value, type);
    return change === strategicMergePatching ? withTypeOf(current, result) : result;
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
  const isText = (value: unknown) => value === undefined || value === null || typeof value === 'string';
  return isText(result['kind']) && isText(result['apiVersion']) ? { ...result, kind, apiVersion } : result;
}

/** compat: a patch with unknown fields is invalid, where a body would be a bad request */
export function refusePatch({ services: { dialect }, resource: { definition } }: Call): (text: string) => Error {
  if (dialect.rules.strictPatch === 400) return refuseBody(definition);
  return (text) => invalidPatch(text, [{ reason: 'FieldValueInvalid', message: text, field: 'patch' }]);
}
