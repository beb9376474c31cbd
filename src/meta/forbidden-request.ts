// The sentence a refused caller gets.

import { goQuoted } from '../wording/go-format.ts';
import type { AccessAttributes } from './access.ts';
import { ApiError, forbidden } from './status.ts';

/** A 403 with the user, the verb and the resource. */
export function forbiddenRequest(attributes: AccessAttributes, reason = ''): ApiError {
  const { user, verb, group, resource, subresource, namespace, name } = attributes;
  const who = `User ${goQuoted(user.name)} cannot ${verb}`;
  const suffix = reason === '' ? '' : `: ${reason}`;
  if (!attributes.isResource) {
    const why = `${who} path ${goQuoted(attributes.path)}`;
    return new ApiError({
      code: 403,
      reason: 'Forbidden',
      message: `forbidden: ${harmless(why)}${suffix}`,
      details: {},
    });
  }
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuoted(namespace)}`;
  const why = `${who} resource ${goQuoted(what)} in API group ${goQuoted(group)} ${scope}`;
  return forbidden({ group, resource, name }, `${harmless(why)}${suffix}`);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** compat: what a client chose is made harmless for browsers in a refusal. */
export const harmless = (text: string) => text.replace(/[&<>]/g, (char) => entities[char] ?? '');
