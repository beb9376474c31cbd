// In the cluster dialect a missing field is a bad request, as is anything invalid next to fields that are unknown or repeat.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { metaGroup } from '../../meta/dialect.ts';
import type { ApiResponse } from '../../meta/exchange.ts';
import { required } from '../../meta/field-errors.ts';
import { ApiError, invalid, restatedAsBadRequest } from '../../meta/status.ts';
import type { WriteOptions } from '../../registry/write-options.ts';
import type { Verb } from '../../schema/verbs.ts';
import type { Call } from '../call.ts';

const writing: ReadonlySet<Verb> = new Set<Verb>(['create', 'update', 'patch']);

/** The answer to a request; where the dialect wants it, what is incomplete is refused with 400 instead of 422. */
export function refusingIncomplete(
  verb: Verb,
  call: Call,
  answer: MaybePromise<ApiResponse>,
): MaybePromise<ApiResponse> {
  if (call.services.dialect.rules.incompleteObject === 422 || !writing.has(verb) || !isPromise(answer)) return answer;
  return answer.catch((error: unknown) => {
    throw isIncomplete(call, error) ? restatedAsBadRequest(error) : error;
  });
}

/** Parts of an object that are missing, or of another type than they have to be. */
const incomplete: ReadonlySet<string | undefined> = new Set(['FieldValueRequired', 'FieldValueTypeInvalid']);

function isIncomplete({ exchange, services: { dialect } }: Call, error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.reason !== 'Invalid') return false;
  // what is wrong with the parameters of a request says nothing of its object
  if (error.details?.group === metaGroup(dialect)) return false;
  if (exchange.droppedFields || exchange.missingField !== undefined) return true;
  return (error.details?.causes ?? []).some(({ reason }) => incomplete.has(reason));
}

/**
 * Admission of an object, which rules found in order: one that lacks a required field all the same is refused here, in the
 * dialect that notes what is missing. Parts of an object are sent without the others.
 */
export function admittingComplete(call: Call, admit: WriteOptions['admit']): WriteOptions['admit'] {
  const { exchange, resource, subresource } = call;
  const { missingField } = exchange;
  if (missingField === undefined || subresource !== undefined) return admit;
  return ({ metadata: { name = '' } }) => {
    throw invalid({ ...resource.definition, name }, [required(missingField)]);
  };
}
