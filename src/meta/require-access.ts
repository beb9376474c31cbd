// Asks the authorizers about what a request needs, and refuses it unless they allow that.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { AccessAttributes, AccessControl, Decision } from './access.ts';
import { forbiddenRequest } from './forbidden-request.ts';
import type { RequestInfo } from './request-info.ts';
import type { UserInfo } from './user.ts';

/** Throws what `refusal` makes of the decision, unless it is to allow. */
export function requireAllowed(
  access: Pick<AccessControl, 'decide'>,
  attributes: AccessAttributes,
  refusal: (decision: Decision) => Error,
): MaybePromise<undefined> {
  return andThen(access.decide(attributes), (decision) => {
    if (decision.kind !== 'allow') throw refusal(decision);
    return undefined;
  });
}

/** Throws unless the user may do something that the request itself does not say. */
export function requireAccess(access: AccessControl, user: UserInfo, info: RequestInfo): MaybePromise<undefined> {
  const attributes = askedOf(user, info);
  return requireAllowed(access, attributes, ({ reason }) => forbiddenRequest(attributes, reason));
}

/** What a path asks for, as a question to the authorizers. */
export function askedOf(user: UserInfo, info: RequestInfo): AccessAttributes {
  const { isResource, verb, group, version, resource, subresource, namespace, name, path } = info;
  return { user, verb, isResource, group, version, resource, subresource, namespace, name, path };
}
