// The sentence a refused caller gets.

import { ApiError, forbidden } from '../meta/status.ts';
import type { AuthorizationRequest } from './authorizer.ts';

/** A 403 that says who may not do what, where. */
export function forbiddenRequest({ user, info }: AuthorizationRequest, reason = ''): ApiError {
  const who = `User ${JSON.stringify(user.name)} cannot ${info.verb}`;
  const suffix = reason === '' ? '' : `: ${reason}`;
  if (!info.isResource) {
    const why = `${who} path ${JSON.stringify(info.path)}${suffix}`;
    return new ApiError({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} });
  }
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const scope = info.namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(info.namespace)}`;
  const why = `${who} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.group)} ${scope}${suffix}`;
  return forbidden({ group: info.group, resource: info.resource, name: info.name }, why);
}
