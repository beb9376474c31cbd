// In the cluster dialect a missing field is a bad request, as is anything invalid beside fields that are unknown or repeat.

import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts';
import { metaGroup } from '../../meta/dialect.ts';
import type { ApiResponse } from '../../meta/exchange.ts';
import { ApiError, restatedAsBadRequest } from '../../meta/status.ts';
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
  if (exchange.droppedFields || exchange.lacksFields) return true;
  return (error.details?.causes ?? []).some(({ reason }) => incomplete.has(reason));
}
