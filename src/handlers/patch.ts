// PATCH: the patched object goes the way of an update.

import type { JsonValue } from '../base/json.ts';
import { mediaTypeOf, parseJson } from '../codec/body.ts';
import type { ApiObject } from '../meta/object.ts';
import { ApiError, badRequest, unsupportedMediaType } from '../meta/status.ts';
import { applyJsonPatch, MalformedPatchError, PatchFailedError } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import { update as updateObject } from '../registry/update.ts';
import type { SchemaType } from '../schema/types.ts';
import { answerObject } from './answer.ts';
import { type Call, decodeInput, representationOf, type VerbHandler, withUrlName } from './call.ts';
import { admittedChange } from './update.ts';
import { type FieldValidation, refuseBody, reportUnknownFields, writeParameters } from './write-parameters.ts';

type ApplyPatch = (target: JsonValue, patch: JsonValue, type: SchemaType) => JsonValue;

const patchTypes: Readonly<Record<string, ApplyPatch>> = {
  'application/json-patch+json': applyJsonPatch,
  'application/merge-patch+json': applyMergePatch,
  'application/strategic-merge-patch+json': applyStrategicMergePatch,
};

/** What a client sent, and how it is applied. */
export interface Patch {
  readonly document: JsonValue;
  readonly apply: ApplyPatch;
}

export const patch: VerbHandler = async (call) => {
  const { exchange, registry, services } = call;
  const form = representationOf(call);
  const { dryRun, fieldValidation } = writeParameters(exchange, services.dialect, 'PatchOptions');
  const wanted = await readPatch(call);
  const change = admittedChange(call, dryRun, (current) =>
    patched(call, current as ApiObject, wanted, fieldValidation),
  );
  const { stored } = await updateObject(registry, call.ref, change);
  return answerObject(call, stored, form);
};

export async function readPatch({ exchange, services }: Call): Promise<Patch> {
  const type = mediaTypeOf(exchange.request.header('content-type'));
  const apply = Object.hasOwn(patchTypes, type) ? patchTypes[type] : undefined;
  if (apply === undefined) throw unsupportedMediaType(Object.keys(patchTypes));
  return { document: parsePatch(await exchange.request.readBody(services.maxBodyBytes)), apply };
}

function parsePatch(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(bytes);
  } catch (error) {
    throw badRequest(`error decoding patch: ${(error as Error).message}`);
  }
}

function patched(call: Call, current: ApiObject, wanted: Patch, level: FieldValidation): ApiObject {
  const result = applyPatchTo(current, wanted, call.resource.definition.type);
  const decoded = decodeInput(call, result);
  reportUnknownFields(call.exchange, decoded.unknownFields, level, refusePatch(call));
  return withUrlName(decoded.object, call);
}

export function applyPatchTo(current: ApiObject, { document, apply }: Patch, type: SchemaType): JsonValue {
  try {
    return apply(current as unknown as JsonValue, document, type);
  } catch (error) {
    if (error instanceof MalformedPatchError) throw badRequest(error.message);
    if (error instanceof PatchFailedError)
      throw invalidPatch(`the server rejected our request due to an error in our request`);
    throw error;
  }
}

/** compat: a patch with unknown fields is invalid, where a body would be a bad request */
function refusePatch({ services: { dialect }, resource: { definition } }: Call): (text: string) => Error {
  if (dialect.rules.strictPatch === 400) return refuseBody(definition);
  return (text) => invalidPatch(text, [{ reason: 'FieldValueInvalid', message: text, field: 'patch' }]);
}

function invalidPatch(
  message: string,
  causes?: readonly { reason: string; message: string; field: string }[],
): ApiError {
  return new ApiError({ code: 422, reason: 'Invalid', message, details: causes ? { causes } : {} });
}
