// The object of a write after the plugins that change objects.

import { managersProblem } from '../../apply/merge/managers-problem.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { type ApiObject, withMeta } from '../../meta/object.ts';
import type { Call } from '../call.ts';
import type { AdmissionInput } from '../call-admission.ts';
import { admissionRequest } from '../call-admission.ts';

/** Webhooks and policies may change who owns fields, as long as that can be understood; otherwise it stays as it was. */
export function mutatedObject(
  call: Call,
  input: AdmissionInput & { readonly object: ApiObject },
): MaybePromise<ApiObject> {
  const { object } = input;
  // before a webhook is asked: later the request cannot move
  if (call.resource.definition.strategy?.hasExpensiveExpressions?.()) call.exchange.moveIfPossible();
  const mutated = call.services.admission.mutate(admissionRequest(call, input));
  return andThen(mutated, (next = object) => (next === object ? object : withReadableManagers(call, next, object)));
}

function withReadableManagers({ exchange }: Call, next: ApiObject, before: ApiObject): ApiObject {
  const managedFields = next.metadata?.managedFields;
  const former = before.metadata?.managedFields;
  if (managedFields === former) return next;
  const problem = managersProblem(managedFields);
  if (problem === undefined) return next;
  exchange.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  );
  return withMeta(next, { managedFields: former });
}
