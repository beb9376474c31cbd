// What an object says about itself has to agree with the URL it was sent to.

import { type ApiObject, withMeta } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import type { Call } from '../call.ts';

/** The object in the namespace that the URL names. */
export function inScope(object: ApiObject, namespace: string): ApiObject {
  const named = object.metadata.namespace ?? '';
  if (named === namespace) return object;
  if (named !== '' && namespace !== '') {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return withMeta(object, { namespace: namespace === '' ? undefined : namespace });
}

/** The object of a PUT or PATCH must be the one the URL names, and say so. */
export function checkUrlName({ metadata: { name = '' } }: ApiObject, { ref }: Call): void {
  if (name === ref.name) return;
  if (name !== '')
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${ref.name})`);
  throw badRequest(`the name of the object (${ref.name} based on URL) was undeterminable: name must be provided`);
}
