// Lets through what somebody allows; everything else is forbidden.

import type { AuthorizationRequest, Authorizer, Decision } from '../authz/authorizer.ts';
import { forbiddenRequest } from '../authz/forbidden-message.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Stage } from './stage.ts';

export function authorize(authorizers: readonly Authorizer[]): Stage {
  return function authorize({ user, info }) {
    return demand(authorizers, { user, info });
  };
}

/** Throws unless somebody allows the request. */
export function demand(
  authorizers: readonly Authorizer[],
  request: AuthorizationRequest,
  from = 0,
): MaybePromise<undefined> {
  for (let i = from; i < authorizers.length; i++) {
    const decision = (authorizers[i] as Authorizer)(request);
    if (isPromise(decision)) {
      return decision.then((d) => (isAllowed(request, d) ? undefined : demand(authorizers, request, i + 1)));
    }
    if (isAllowed(request, decision)) return undefined;
  }
  throw forbiddenRequest(request);
}

function isAllowed(request: AuthorizationRequest, decision: Decision): boolean {
  if (decision.kind === 'deny') throw forbiddenRequest(request, decision.reason);
  return decision.kind === 'allow';
}
