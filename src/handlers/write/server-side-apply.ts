// Server-side apply: a configuration is merged into the object, which it may also create.

import { declaredPart } from '../../apply/typed/declared.ts';
import { objectTopology } from '../../apply/typed/object-topology.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { decodeObject, type ExpectedKind, UndecodableError } from '../../codec/decode-object.ts';
import { strictErrors } from '../../codec/strict.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import { badRequest, conflict, plainError } from '../../meta/status.ts';
import { restoreProblem } from '../../wording/types/restore-problem.ts';
import type { Call } from '../call.ts';
import { mergeConfiguration } from './field-management.ts';
import { decodeRestored } from './read-object.ts';
import { notAnObject, type Patch } from './read-patch.ts';
import type { Next } from './update.ts';
import { checkUrlName } from './url-match.ts';
import { refuseBody, reportStrictErrors } from './write-parameters.ts';

/** Server-side apply: the body is what the manager wants, as far as it cares. */
export function applying(call: Call, wanted: Patch): Next {
  const config = configOf(call, call.resource.definition, wanted);
  return (current) => apply(call, { wanted, config, live: current });
}

interface Configuration {
  readonly wanted: Patch;
  readonly config: JsonObject;
  readonly live: ApiObject | undefined;
}

async function apply(call: Call, { wanted, config, live }: Configuration): Promise<ApiObject> {
  const merged = await mergeConfiguration(call, live, config, wanted.force);
  reportRepeated(call, wanted);
  if (live === undefined) checkNew(call, merged);
  const object = decodeMerged(call, { config, merged, live });
  checkUrlName(object, call);
  return object;
}

/** Keys that repeat in a configuration, where they were not reported together with unknown fields. */
export function reportRepeated({ exchange, services }: Call, { parsed, fieldValidation: level }: Patch): void {
  if (level === 'Ignore' || services.dialect.rules.applyValidation === 'fieldValidation') return;
  const prefix = 'error strict decoding YAML: error converting YAML to JSON: ';
  reportStrictErrors(exchange, strictErrors(parsed, []), level, badRequest, prefix);
}

/** The configuration of an apply, held to `fieldValidation` where the dialect says so; otherwise it is checked when it is merged. */
export function configOf(call: Call, expected: ExpectedKind, wanted: Patch): JsonObject {
  const config = typedConfig(expected, wanted.parsed.value);
  return call.services.dialect.rules.applyValidation === 'typed' ? config : validated(call, expected, config, wanted);
}

/** As on other writes: a wrong type is a bad request, unknown fields are dropped, told or refused. */
function validated(
  { exchange }: Call,
  expected: ExpectedKind,
  config: JsonObject,
  { parsed, fieldValidation }: Patch,
): JsonObject {
  const { unknownFields } = decodeObject(expected, config);
  const errors = strictErrors(parsed, unknownFields, expected.type);
  reportStrictErrors(exchange, errors, fieldValidation, refuseBody(expected));
  return unknownFields.length === 0 ? config : declaredPart(objectTopology(expected.type), config);
}

/** The configuration of an apply has to say what it is. */
function typedConfig(expected: ExpectedKind, value: JsonValue): JsonObject {
  const config = value ?? {};
  if (!isJsonObject(config)) {
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${notAnObject(config)}`);
  }
  const { apiVersion, kind } = config;
  if (apiVersion !== formatApiVersion(expected) || kind !== expected.kind) {
    throw badRequest(`invalid object type: ${showKind(apiVersion, kind)}`);
  }
  return expected.spelled?.(config) ?? config;
}

/** `group/version, Kind=kind`, with an empty group where there is none. */
function showKind(apiVersion: JsonValue | undefined, kind: JsonValue | undefined): string {
  const version = textOf(apiVersion);
  // compat: of a version that is none, nothing is shown
  if (version.indexOf('/') !== version.lastIndexOf('/')) return '/, Kind=';
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

interface MergedObject {
  readonly config: JsonObject;
  readonly merged: ApiObject;
  readonly live: ApiObject | undefined;
}

/** What an apply made, decoded and defaulted; its managedFields are ours and need no decoding. */
function decodeMerged(call: Call, { config, merged, live }: MergedObject): ApiObject {
  const { managedFields } = merged.metadata;
  const known = { ...live, metadata: { ...live?.metadata, managedFields } } as ApiObject;
  try {
    return decodeRestored(call, merged as unknown as JsonValue, { known, isMerged: true }).object;
  } catch (error) {
    throw asUnconvertible(call, config, merged, error);
  }
}

/** A value that fits by its form may still be no value of its type, such as an amount that is no number. */
function asUnconvertible({ registry }: Call, config: JsonObject, merged: ApiObject, error: unknown): unknown {
  if (!(error instanceof UndecodableError)) return error;
  const { namespace = '', name = '' } = { ...(config['metadata'] as JsonObject | undefined) };
  const kind = showKind(merged.apiVersion, merged.kind);
  const { type } = registry.definition;
  const problem = type.is === 'struct' ? restoreProblem(type, merged) : undefined;
  const why = problem === undefined ? error.why : `unable to convert unstructured object to ${kind}: ${problem}`;
  return plainError(
    `failed to convert new object (${String(namespace)}/${String(name)}; ${kind}) to proper version: ${why}`,
  );
}
