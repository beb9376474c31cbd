// Who may write the status of device claims may not write all of it: binding a claim, and reporting about the devices of
// a driver, are rights of their own, asked for as if they were subresources.

import { isSameJson } from '../../base/json/json.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { allocationResult } from '../../groups/resource/v1/allocation-result.ts';
import type { ResourceClaim } from '../../groups/resource/v1/resource-claim-type.ts';
import { type AccessAttributes, resourceAccess } from '../../meta/access.ts';
import { groupName, nodeNameExtra } from '../../meta/dialect.ts';
import { forbiddenField } from '../../meta/field-errors.ts';
import { forbiddenRequest } from '../../meta/forbidden-request.ts';
import type { ApiObject } from '../../meta/object.ts';
import { type FieldError, invalid } from '../../meta/status.ts';
import { parseServiceAccount } from '../../meta/user.ts';
import { meansSame } from '../../schema/same-meaning.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, partsOf } from '../plugin.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'access'>;
type Status = NonNullable<ResourceClaim['status']>;
type Allocation = Status['allocation'];

export function claimStatusRights(engines: Engines): AdmissionPlugin {
  return {
    name: 'ClaimStatusRights',
    operations: ['UPDATE'],
    covers: partsOf(groupName(engines.dialect, 'resource'), 'resourceclaims', 'status'),
    validate(request) {
      const [next, old] = [statusOf(request.object), statusOf(request.oldObject)];
      const drivers = changedDrivers(next, old);
      if (!isRebound(next, old) && drivers.length === 0) return;
      return check(engines, request, next, old, drivers);
    },
  };
}

const statusOf = (object: ApiObject | undefined): Status => (object as ResourceClaim | undefined)?.status ?? {};

const isRebound = (next: Status, old: Status) =>
  !meansSame(allocationResult, next.allocation, old.allocation) ||
  !isSameJson(next.reservedFor ?? [], old.reservedFor ?? []);

type Device = NonNullable<Status['devices']>[number];

/** Drivers of devices about which something else is said now, or nothing any more, or for the first time. */
function changedDrivers(next: Status, old: Status): readonly string[] {
  const keyOf = (one: Device) => JSON.stringify([placeOf(one), one.shareID ?? '']);
  const before = new Map((old.devices ?? []).map((one) => [keyOf(one), one]));
  const changed = (next.devices ?? []).filter((one) => {
    const was = before.get(keyOf(one));
    before.delete(keyOf(one));
    return !isSameJson(one, was);
  });
  const [had, has] = [allocated(old), allocated(next)];
  // what is said about a device goes with its allocation: that is no report of a driver
  const silent = [...before.values()].filter((one) => !had.has(placeOf(one)) || has.has(placeOf(one)));
  return [...new Set([...changed, ...silent].map(({ driver = '' }) => driver))].sort();
}

const placeOf = ({ driver, pool, device }: Pick<Device, 'driver' | 'pool' | 'device'>) =>
  JSON.stringify([driver, pool, device]);

const allocated = ({ allocation }: Status): ReadonlySet<string> =>
  new Set((allocation?.devices?.results ?? []).map(placeOf));

async function check(
  engines: Engines,
  request: AdmissionRequest,
  next: Status,
  old: Status,
  drivers: readonly string[],
): Promise<void> {
  const { definition, name } = request;
  const found = [
    ...(isRebound(next, old) ? await checkBinding(engines, request) : []),
    ...(await checkDrivers(engines, request, drivers, nodeOf(next.allocation))),
  ];
  if (found.length > 0) throw invalid({ group: definition.group, kind: definition.kind, name }, found);
}

/** The right to bind is one for all claims, wherever they are. */
async function checkBinding(engines: Engines, request: AdmissionRequest): Promise<readonly FieldError[]> {
  const { verb } = request;
  const refused = await refusal(engines, asked(request, { verb, subresource: 'binding' }));
  if (refused === undefined) return [];
  const needs = `resource="resourceclaims/binding", verb="${verb}" permission`;
  return [forbiddenField('status', `changing status.allocation or status.reservedFor requires ${needs}: ${refused}`)];
}

async function checkDrivers(
  engines: Engines,
  request: AdmissionRequest,
  drivers: readonly string[],
  node: string,
): Promise<readonly FieldError[]> {
  const { verb, namespace } = request;
  const places = isAt(node, request, engines) ? ['associated-node', 'arbitrary-node'] : ['arbitrary-node'];
  const verbs = places.map((place) => `${place}:${verb}`);
  const validationErrors: FieldError[] = [];
  for (const name of drivers) {
    const questions = verbs.map((one) => asked(request, { verb: one, subresource: 'driver', namespace, name }));
    const refused = await firstRefusal(engines, questions);
    if (refused === undefined) continue;
    const needs = `resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission`;
    validationErrors.push(forbiddenField('status.devices', `changing status.devices requires ${needs}: ${refused}`));
  }
  return validationErrors;
}

/** One of several rights is enough; who has none hears of the first. */
async function firstRefusal(engines: Engines, questions: readonly AccessAttributes[]): Promise<string | undefined> {
  let first: string | undefined;
  for (const question of questions) {
    const refused = await refusal(engines, question);
    if (refused === undefined) return undefined;
    first ??= refused;
  }
  return first;
}

type Question = Pick<AccessAttributes, 'verb' | 'subresource'> & Partial<Pick<AccessAttributes, 'namespace' | 'name'>>;

function asked({ user, definition }: AdmissionRequest, question: Question): AccessAttributes {
  const { group, version, plural } = definition;
  return resourceAccess({ user, group, version, resource: plural, ...question });
}

/** Undefined where it is allowed. */
function refusal({ access }: Engines, question: AccessAttributes): MaybePromise<string | undefined> {
  return andThen(access.decide(question), ({ kind, reason, error }) => {
    if (kind === 'allow') return undefined;
    return forbiddenRequest(question, [error, reason].filter(Boolean).join(': ')).message;
  });
}

/** The one node that an allocation is for; empty where it could be used on several. */
function nodeOf(allocation: Allocation): string {
  const [term, ...others] = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  const [field, ...more] = term?.matchFields ?? [];
  const isAlone = others.length === 0 && more.length === 0 && (term?.matchExpressions ?? []).length === 0;
  const [name = '', ...rest] = field?.values ?? [];
  return isAlone && field?.key === 'metadata.name' && field.operator === 'In' && rest.length === 0 ? name : '';
}

/** Whether the caller is a service account of a pod on that very node. */
function isAt(node: string, { user }: AdmissionRequest, { dialect }: Engines): boolean {
  const names = user.extra?.[nodeNameExtra(dialect)] ?? [];
  return node !== '' && parseServiceAccount(user.name) !== undefined && names.length === 1 && names[0] === node;
}
