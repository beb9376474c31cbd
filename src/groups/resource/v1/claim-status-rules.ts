// What was given to a claim, who may use it, and what drivers report: rules of a ResourceClaim's status.

import { duplicate, forbiddenField, invalidValue, required, tooLong, tooMany } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName } from '../../../meta/names.ts';
import { validateInterfaceAddress } from '../../../meta/network-names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { goQuoted } from '../../../wording/go-format.ts';
import { validateNodeSelector } from '../../core/v1/pod/node-selector-rules.ts';
import { validateConditionList } from '../../meta/v1/condition-rules.ts';
import { checked, immutableByMeaning, repeatsIn, requiredOneOf, type ValidationErrors } from '../../rules.ts';
import { allocationResult } from './allocation-result.ts';
import { requestNames, validateOpaque, validateRaw, validateRequestNames } from './device-claim-rules.ts';
import { limited, limitedSet, repeated, validateBinding, validateDriver, validatePoolName } from './device-names.ts';
import type { ResourceClaim } from './resource-claim-type.ts';

type Status = NonNullable<ResourceClaim['status']>;
type Allocation = NonNullable<Status['allocation']>;
type Results = NonNullable<NonNullable<Allocation['devices']>['results']>;
type DeviceStatus = NonNullable<Status['devices']>[number];

const maxReservations = 256;
const maxConfig = 64;
const maxDeviceConditions = 8;
const maxIps = 16;
const maxInterfaceName = 256;
const maxHardwareAddress = 128;

const statusOf = (object: ResourceClaim): Status => object.status ?? {};

/** Reports on devices go with the devices. */
export function withoutReleased(next: ResourceClaim, old: ResourceClaim): ApiObject {
  const resultsOf = (object: ResourceClaim) => (statusOf(object).allocation?.devices?.results ?? []).map(placeOf);
  const kept = new Set(resultsOf(next));
  const released = new Set(resultsOf(old).filter((place) => !kept.has(place)));
  const { devices, ...status } = statusOf(next);
  if (!devices || released.size === 0) return next;
  const left = devices.filter((one) => !released.has(placeOf(one)));
  return { ...next, status: { ...status, ...(left.length === 0 ? {} : { devices: left }) } };
}

/** Devices in use stay allocated as they are. */
export function validateClaimStatus(next: ResourceClaim, old: ResourceClaim): ValidationErrors {
  const { allocation, devices = [] } = statusOf(next);
  const was = statusOf(old);
  const names = requestNames(next.spec?.devices?.requests ?? []);
  const given = new Set((allocation?.devices?.results ?? []).map(deviceKey));
  const isRepeated = repeatsIn(devices.map(deviceKey));
  return [
    ...validateConsumers(statusOf(next)),
    ...findEach(devices, (one, index) => validateDeviceStatus(one, given, `status.devices[${index}]`)),
    ...findEach(devices, (one, index) =>
      isRepeated(index) ? [duplicate(`status.devices[${index}]`, deviceId(one))] : [],
    ),
    ...validateReservations(next, old),
    ...(was.allocation && allocation
      ? immutableByMeaning('status.allocation', allocationResult, allocation, was.allocation)
      : []),
    ...(allocation && !was.allocation ? validateAllocation(allocation, names, 'status.allocation') : []),
  ];
}

const validateConsumers = ({ reservedFor = [] }: Status): ValidationErrors =>
  limitedSet('status.reservedFor', reservedFor, validateConsumer, ({ uid = '' }) => uid, maxReservations);

function validateReservations(next: ResourceClaim, old: ResourceClaim): ValidationErrors {
  const at = 'status.reservedFor';
  const { allocation, reservedFor = [] } = statusOf(next);
  // as texts: fields stand in their declared order
  const before = new Set((statusOf(old).reservedFor ?? []).map((one) => JSON.stringify(one)));
  const added = reservedFor.some((one) => !before.has(JSON.stringify(one)));
  const isGoing = next.metadata.deletionTimestamp !== undefined;
  return [
    ...(reservedFor.length > 0 && !allocation
      ? [forbiddenField(at, 'may not be specified when `allocated` is not set')]
      : []),
    ...(isGoing && allocation && added
      ? [
          forbiddenField(
            at,
            'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
          ),
        ]
      : []),
  ];
}

function validateConsumer(
  { resource, name, uid }: NonNullable<Status['reservedFor']>[number],
  at: string,
): ValidationErrors {
  return Object.entries({ resource, name, uid }).flatMap(([field, value]) =>
    value ? [] : [required(`${at}.${field}`)],
  );
}

function validateAllocation(
  { devices = {}, nodeSelector }: Allocation,
  names: ReadonlySet<string>,
  at: string,
): ValidationErrors {
  return [
    ...limited(`${at}.devices.results`, devices.results ?? [], (one, place) => validateResult(one, names, place)),
    ...limited(
      `${at}.devices.config`,
      devices.config ?? [],
      (one, place) => [
        ...requiredOneOf(`${place}.source`, one.source, ['FromClaim', 'FromClass']),
        ...validateRequestNames(one.requests ?? [], names, `${place}.requests`),
        ...validateOpaque(one, place),
      ],
      maxConfig,
    ),
    ...(nodeSelector ? validateNodeSelector(nodeSelector, `${at}.nodeSelector`) : []),
  ];
}

function validateResult(result: Results[number], names: ReadonlySet<string>, at: string): ValidationErrors {
  const { request = '', shareID } = result;
  return [
    ...validateRequestNames([request], names, `${at}.request`, () => `${at}.request`),
    ...validateDriver(result.driver, `${at}.driver`),
    ...validatePoolName(result.pool, `${at}.pool`),
    ...checked(`${at}.device`, result.device ?? '', checkLabelName),
    ...validateBinding(result, at),
    ...(shareID === undefined ? [] : validateUid(shareID, `${at}.shareID`)),
  ];
}

const uidAdvice =
  'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';

function validateUid(uid: string, at: string): ValidationErrors {
  const problem = uidProblem(uid);
  if (problem !== undefined) return [invalidValue(at, uid, `error validating uid: ${problem}`)];
  return dashed.test(uid) ? [] : [invalidValue(at, uid, uidAdvice)];
}

const dashed = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const anyCase = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const urnPrefix = 'urn:uuid:';

/** How a text is no UUID in any of the forms there are: bare, with dashes, in braces, as a URN. */
function uidProblem(uid: string): string | undefined {
  const odd = 'invalid UUID format';
  switch (Buffer.byteLength(uid)) {
    case 36:
      return anyCase.test(uid) ? undefined : odd;
    case 36 + urnPrefix.length: {
      const prefix = uid.slice(0, urnPrefix.length);
      if (prefix.toLowerCase() !== urnPrefix) return `invalid urn prefix: ${goQuoted(prefix)}`;
      return anyCase.test(uid.slice(urnPrefix.length)) ? undefined : odd;
    }
    case 36 + 2:
      if (!uid.startsWith('{') || !uid.endsWith('}')) return 'invalid bracketed UUID format';
      return anyCase.test(uid.slice(1, -1)) ? undefined : odd;
    case 32:
      return /^[0-9a-f]{32}$/i.test(uid) ? undefined : odd;
    default:
      return `invalid UUID length: ${Buffer.byteLength(uid)}`;
  }
}

const placeOf = ({ driver = '', pool = '', device = '' }: DeviceStatus) => [driver, pool, device].join('/');
/** compat: a device is shown with the names that the parts of its id have in the reference implementation */
const deviceId = ({ driver = '', pool = '', device = '', shareID = '' }: DeviceStatus) => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});
const deviceKey = (one: DeviceStatus) => JSON.stringify(deviceId(one));

function validateDeviceStatus(one: DeviceStatus, given: ReadonlySet<string>, at: string): ValidationErrors {
  const { conditions, data, networkData: network = {} } = one;
  const count = conditions?.length ?? 0;
  return [
    ...validateDriver(one.driver, `${at}.driver`),
    ...validatePoolName(one.pool, `${at}.pool`),
    ...checked(`${at}.device`, one.device ?? '', checkLabelName),
    ...(one.shareID === undefined ? [] : validateUid(one.shareID, `${at}.shareID`)),
    ...(given.has(deviceKey(one)) ? [] : [invalidValue(at, deviceId(one), 'must be an allocated device in the claim')]),
    ...(count > maxDeviceConditions ? [tooMany(`${at}.conditions`, count, maxDeviceConditions)] : []),
    ...validateConditionList(conditions ?? [], `${at}.conditions`),
    ...(data === undefined ? [] : validateRaw(data, `${at}.data`)),
    ...validateNetwork(network, `${at}.networkData`),
  ];
}

function validateNetwork(network: NonNullable<DeviceStatus['networkData']>, at: string): ValidationErrors {
  const { interfaceName = '', hardwareAddress = '', ips = [] } = network;
  return [
    ...(interfaceName.length > maxInterfaceName ? [tooLong(`${at}.interfaceName`, maxInterfaceName)] : []),
    ...(hardwareAddress.length > maxHardwareAddress ? [tooLong(`${at}.hardwareAddress`, maxHardwareAddress)] : []),
    ...limited(`${at}.ips`, ips, validateInterfaceAddress, maxIps),
    ...repeated(ips, (index) => `${at}.ips[${index}]`),
  ];
}
