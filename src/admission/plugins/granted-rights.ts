// A user who writes an object that grants rights must hold them. Runs with the plugins that change objects, so that
// it comes before validation.

import { isSameJson } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import type { Grant } from '../../meta/access.ts';
import { type ApiObject, withMeta } from '../../meta/object.ts';
import type { ErrorSubject } from '../../meta/status.ts';
import type { UserInfo } from '../../meta/user.ts';
import { type AdmissionPlugin, type AdmissionRequest, writes } from '../plugin.ts';

/** Throws to refuse. */
type RightsCheck = (request: {
  readonly user: UserInfo;
  readonly namespace: string;
  readonly urlName: string;
  readonly subject: ErrorSubject;
  readonly grant: Grant;
  readonly previous: Grant | undefined;
  readonly onLong: () => void;
}) => MaybePromise<void>;

export function grantedRights(check: RightsCheck): AdmissionPlugin {
  return {
    name: 'GrantedRights',
    operations: writes,
    covers: ({ grants }) => grants !== undefined,
    mutate(request) {
      const { definition, object, oldObject, user, namespace, verb, name } = request;
      if (definition.grants === undefined || object === undefined) return object;
      if (oldObject !== undefined && changesOwnershipOnly(object, oldObject)) return object;
      const grant = definition.grants(object);
      const previous = oldObject && definition.grants(oldObject);
      const checked = check({
        user,
        namespace,
        urlName: verb === 'create' ? '' : name,
        subject: subjectOf(request),
        grant,
        previous,
        onLong: () => request.moveIfPossible?.(),
      });
      return andThen(checked, () => object);
    },
  };
}

function subjectOf({ definition, name }: AdmissionRequest): ErrorSubject {
  return { group: definition.group, resource: definition.plural, name };
}

/** The garbage collector must be able to let go of objects whose rights it does not hold. */
function changesOwnershipOnly(next: ApiObject, old: ApiObject): boolean {
  return isSameJson(withoutOwnership(next), withoutOwnership(old));
}

const withoutOwnership = (object: ApiObject) =>
  withMeta(object, {
    ownerReferences: undefined,
    finalizers: undefined,
    managedFields: undefined,
    resourceVersion: undefined,
  });
