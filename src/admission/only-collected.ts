// What garbage collection does to objects: it takes owners and finalizers away, also where nothing else may change.

import { isSameJson } from '../base/json/json.ts';
import { withMeta } from '../meta/object.ts';
import type { AdmissionRequest } from './plugin.ts';

/** Whether an update changes owners and finalizers, and nothing else. */
export function isOnlyCollected({ operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation !== 'UPDATE' || object === undefined || oldObject === undefined) return false;
  const { ownerReferences, finalizers, managedFields, resourceVersion } = oldObject.metadata;
  const same = withMeta(object, { ownerReferences, finalizers, managedFields, resourceVersion });
  return isSameJson(JSON.parse(JSON.stringify(same)), JSON.parse(JSON.stringify(oldObject)));
}
