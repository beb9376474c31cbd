// Owners that an object names twice: the second time is dropped, with a warning.

import type { Exchange } from '../../meta/exchange.ts';
import { type ApiObject, type ObjectMeta, withMeta } from '../../meta/object.ts';

type Owners = NonNullable<ObjectMeta['ownerReferences']>;

/** `when` says when they were noticed, where that is not as they came. */
export function withoutRepeatedOwners(object: ApiObject, exchange: Exchange, when = ''): ApiObject {
  const { ownerReferences } = object.metadata;
  if (ownerReferences === undefined || ownerReferences.length < 2) return object;
  const repeated: string[] = [];
  const left = distinct(ownerReferences, repeated);
  if (repeated.length === 0) return object;
  exchange.warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, ` +
      `and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(', ')}`,
  );
  return withMeta(object, { ownerReferences: left });
}

export const afterAdmission = ' after mutating admission happens';

/** Entries that are the same in every field; those of one uid that differ stay. */
function distinct(owners: Owners, repeated: string[]): Owners {
  const known = new Set<string>();
  return owners.filter((owner) => {
    const { apiVersion, kind, name, uid, controller, blockOwnerDeletion } = owner;
    const text = JSON.stringify([uid, name, kind, apiVersion, controller, blockOwnerDeletion]);
    if (!known.has(text)) return known.add(text);
    repeated.push(uid ?? '');
    return false;
  });
}
