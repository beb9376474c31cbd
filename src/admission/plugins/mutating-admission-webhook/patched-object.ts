// The object of a request after the patch of a webhook: decoded again, and with defaults for what the patch left open.

import type { JsonObject, JsonValue } from '../../../base/json/json.ts';
import { decodeObject, OtherKindError, UndecodableError } from '../../../codec/decode-object.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { badRequest, internalError, plainError } from '../../../meta/status.ts';
import { applyDecoded } from '../../../patch/json-patch.ts';
import type { AdmissionEngines } from '../../engines.ts';
import { isWhole } from '../../policies/policy-view.ts';
import type { WantedRequest } from '../../webhooks/wanted-request.ts';

type Engines = Pick<AdmissionEngines, 'complete' | 'convert'>;

/** In the version of the request. Throws a 500 for a patch that cannot be applied, or whose result is none of the kind. */
export async function patchedObject(
  wanted: WantedRequest,
  object: ApiObject,
  operations: readonly JsonObject[],
  engines: Engines,
): Promise<ApiObject> {
  const { request, definition } = wanted;
  const seen = await made(() => applyDecoded(object as unknown as JsonValue, operations));
  const next = inNamespace(await made(() => decoded(wanted, seen, object, engines)), object.metadata.namespace);
  return definition === request.definition || !isWhole(request)
    ? next
    : engines.convert(next, request.definition, request);
}

/** An object that does not say its namespace is in that of the request. */
function inNamespace(object: ApiObject, namespace: string | undefined): ApiObject {
  const { metadata = {} } = object as Partial<ApiObject>;
  if (namespace === undefined || metadata.namespace === namespace) return object;
  if (metadata.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return { ...object, metadata: { ...metadata, namespace } };
}

function decoded(wanted: WantedRequest, value: JsonValue, known: ApiObject, engines: Engines): ApiObject {
  const { request, definition, kind } = wanted;
  if (isWhole(request)) return engines.complete(definition, value, known).object;
  const part = definition.subresources?.find(({ name }) => name === request.subresource);
  if (part === undefined || !('type' in part)) throw new Error('it cannot be changed');
  return decodeObject({ ...kind, type: part.type }, value).object;
}

async function made<T>(make: () => T | Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof OtherKindError) throw plainError(error.why);
    throw internalError(error instanceof UndecodableError ? error.why : (error as Error).message);
  }
}
