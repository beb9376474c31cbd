// Errors of writes that are refused on their way: by a patch that cannot be used, by a policy, by a webhook.

import type { ApiObject } from './object.ts';
import { ApiError, conflict, type ErrorFields, type StatusCause } from './status.ts';

export function patchTooLarge(why: string): ApiError {
  return new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${why}` });
}

export class ValidationTooLongError extends ApiError {
  constructor() {
    const why = 'validating the object against the schema of its definition takes too long';
    super({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${why}` });
  }
}

export function invalidPatch(message: string, causes?: readonly StatusCause[]): ApiError {
  return new ApiError({ code: 422, reason: 'Invalid', message, details: causes ? { causes } : {} });
}

/** compat: a type without a protobuf form is named as in the reference implementation's language */
export function noProtobufForm(typeName: string): ApiError {
  const why = 'does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message';
  return new ApiError({ code: 406, reason: 'NotAcceptable', message: `object *${typeName} ${why}` });
}

interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

interface PreconditionSubject {
  readonly group: string;
  readonly resource: string;
  /** compat: some kinds check this themselves, in other words */
  readonly saysFailed?: boolean;
}

/** Throws where a delete is about another object than the one that there is. */
export function checkPreconditions(
  { group, resource, saysFailed = false }: PreconditionSubject,
  { metadata }: ApiObject,
  { preconditions }: { readonly preconditions?: Preconditions },
): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const refuse = (what: string, wanted: string, found: string | undefined, why: string) =>
    conflict(
      { group, resource, name: metadata.name ?? '' },
      saysFailed
        ? `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`
        : `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${found}). The object might have been ${why}`,
    );
  if (uid !== undefined && uid !== metadata.uid) throw refuse('UID', uid, metadata.uid, 'deleted and then recreated');
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw refuse('ResourceVersion', resourceVersion, metadata.resourceVersion, 'modified');
}

/** The refusal of a policy or a webhook, or of the server for its own request. */
export function refusedByRule(refusal: ErrorFields): ApiError {
  return new ApiError(refusal);
}
