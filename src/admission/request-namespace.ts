// The namespace that a request is about, as plugins see it.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Lookup } from './lookup.ts';
import type { AdmissionRequest } from './plugin.ts';

export const namespaces = { group: '', version: 'v1', resource: 'namespaces' };

/** Undefined where the namespace does not exist. In a dry run it may be one that the real request would make. */
export function namespaceOf(
  { namespace: name, plannedNamespace }: AdmissionRequest,
  objects: Pick<Lookup, 'get'>,
  mode?: 'latest' | 'any',
): MaybePromise<ApiObject | undefined> {
  return plannedNamespace ?? objects.get(namespaces, { namespace: '', name }, mode);
}
