// OwnerReferencesPermissionEnforcement: an owner is a right to delete, so that who names one must have it already.

import { isSameJson } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { WorkMeter } from '../../base/time/work-meter.ts';
import { type AccessAttributes, resourceAccess } from '../../meta/access.ts';
import { parseApiVersion } from '../../meta/group-version.ts';
import type { ApiObject, OwnerReference } from '../../meta/object.ts';
import { requireAllowed } from '../../meta/require-access.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, refusal, writes } from '../plugin.ts';

type Engines = Pick<AdmissionEngines, 'access' | 'resourceOf'>;

const ownersOf = (object: ApiObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? [];

export function ownerReferencesPermissionEnforcement(engines: Engines): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: writes,
    // what a node reports about a pod cannot change its owners
    covers: ({ plural, group }, subresource) => !(group === '' && plural === 'pods' && subresource === 'status'),
    validate(request) {
      const { object, oldObject } = request;
      if (isSameJson(ownersOf(object), ownersOf(oldObject))) return;
      return andThen(checkDelete(engines, request), () =>
        checkBlocking(engines, request, newlyBlocking(object, oldObject)),
      );
    },
  };
}

/** New objects belong to the user who creates them. */
function checkDelete({ access }: Engines, request: AdmissionRequest): MaybePromise<void> {
  if (request.operation === 'CREATE') return;
  const { definition, namespace, name, subresource, user } = request;
  const { group, version, plural: resource } = definition;
  const asked = resourceAccess({ user, verb: 'delete', group, version, resource, subresource, namespace, name });
  return requireRight(access, request, asked, "cannot set an ownerRef on a resource you can't delete");
}

/** References that begin to hold up the deletion of an owner. */
function newlyBlocking(next: ApiObject | undefined, old: ApiObject | undefined): readonly OwnerReference[] {
  const before = new Set(
    ownersOf(old)
      .filter(isBlocking)
      .map(({ uid }) => uid),
  );
  return ownersOf(next).filter((owner) => isBlocking(owner) && !before.has(owner.uid));
}

const isBlocking = ({ blockOwnerDeletion }: OwnerReference) => blockOwnerDeletion === true;

const blockingAdvice =
  "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";

/** Nanoseconds for the question about one owner. */
const questionWork = 50_000;

/** One question for each owner: a client may name thousands. */
async function checkBlocking(
  engines: Engines,
  request: AdmissionRequest,
  owners: readonly OwnerReference[],
): Promise<void> {
  if (owners.length === 0) return;
  const { kind } = await engines.access.decide(allFinalizersFor(request));
  if (kind === 'allow') return;
  const meter = new WorkMeter(() => request.moveIfPossible?.());
  for (const owner of owners) {
    meter.add(questionWork);
    await requireRight(engines.access, request, finalizersOf(engines, request, owner), blockingAdvice);
  }
}

/** A user who may change the finalizers of everything is asked about no owner, not even one of a kind that is not served. */
function allFinalizersFor({ user }: AdmissionRequest): AccessAttributes {
  const anything = { group: '*', version: '*', resource: '*', name: '*' };
  return resourceAccess({ user, verb: 'update', ...anything, subresource: 'finalizers' });
}

function finalizersOf({ resourceOf }: Engines, request: AdmissionRequest, owner: OwnerReference): AccessAttributes {
  const { apiVersion, kind, name } = owner;
  const home = parseApiVersion(apiVersion);
  const found = home && resourceOf(home.group, home.version, kind);
  if (home === undefined || found === undefined) {
    const match = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
    throw refusal(
      request,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${match}`,
    );
  }
  const namespace = found.namespaced ? request.namespace : '';
  const what = { ...home, resource: found.plural, subresource: 'finalizers', namespace, name };
  return resourceAccess({ user: request.user, verb: 'update', ...what });
}

function requireRight(
  access: Engines['access'],
  request: AdmissionRequest,
  asked: AccessAttributes,
  why: string,
): MaybePromise<void> {
  return requireAllowed(access, asked, ({ reason = '', error }) =>
    refusal(request, `${why}: ${reason}, ${error ?? '<nil>'}`),
  );
}
