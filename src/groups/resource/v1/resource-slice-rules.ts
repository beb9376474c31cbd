// ResourceSlice: what must hold of the devices a driver offers.

import { invalidValue, required } from '../../../meta/field-errors.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { formatTime } from '../../../meta/time.ts';
import { shownField } from '../../../schema/given-empty.ts';
import type { Strategy, StrategyContext } from '../../../schema/strategy.ts';
import { validateNodeSelector } from '../../core/v1/pod/node-selector-rules.ts';
import { checked, immutable, requiredChecked, type ValidationErrors } from '../../rules.ts';
import { limitedSet, validateDriver, validatePoolName } from './device-names.ts';
import { type Device, validateCounters, validateDevice } from './device-rules.ts';
import type { ResourceSlice } from './resource-slice-type.ts';

type Spec = NonNullable<ResourceSlice['spec']>;

const specOf = (object: ResourceSlice): Spec => object.spec ?? {};

const maxDevices = 128;
/** Of devices that need more room each. */
const maxBigDevices = 64;
const maxCounterSets = 8;
const places = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const placesAdvice = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

/** A taint counts from the moment it is there. */
export function withTaintTimes(device: Device, now: string): Device {
  const { taints } = device;
  if (!taints?.some(({ timeAdded }) => !timeAdded)) return device;
  return { ...device, taints: taints.map((taint) => ({ ...taint, timeAdded: taint.timeAdded || now })) };
}

function defaults(object: ResourceSlice, { clock }: StrategyContext): ApiObject {
  const { devices, ...spec } = specOf(object);
  if (!devices) return object;
  const now = formatTime(clock.now());
  return { ...object, spec: { ...spec, devices: devices.map((device) => withTaintTimes(device, now)) } };
}

function validateSpec(object: ResourceSlice, old?: ResourceSlice): ValidationErrors {
  const spec = specOf(object);
  const { devices, sharedCounters } = spec;
  const isGiven = (name: string) => shownField(spec, name) !== null;
  return [
    ...validateDriver(spec.driver, 'spec.driver'),
    ...validatePool(spec.pool),
    ...(old ? validateFixed(spec, specOf(old)) : []),
    ...validatePlaces(spec),
    ...(isGiven('sharedCounters') && isGiven('devices')
      ? [invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed')]
      : []),
    ...validateDevices(devices ?? [], spec.perDeviceNodeSelection ?? false),
    ...validateCounterSets(sharedCounters ?? []),
  ];
}

const validateFixed = (spec: Spec, was: Spec): ValidationErrors => [
  ...immutable('spec.pool.name', spec.pool?.name ?? '', was.pool?.name ?? ''),
  ...immutable('spec.driver', spec.driver ?? '', was.driver ?? ''),
  ...immutable('spec.nodeName', spec.nodeName, was.nodeName).map(() =>
    invalidValue('spec.nodeName', spec.nodeName ?? null, 'field is immutable'),
  ),
];

function validatePool({
  name,
  generation = 0,
  resourceSliceCount: count = 0,
}: NonNullable<Spec['pool']> = {}): ValidationErrors {
  const negative = 'must be greater than or equal to zero';
  return [
    ...validatePoolName(name, 'spec.pool.name'),
    ...(count > 0 ? [] : [invalidValue('spec.pool.resourceSliceCount', count, 'must be greater than zero')]),
    ...(generation < 0 ? [invalidValue('spec.pool.generation', generation, negative)] : []),
  ];
}

function validatePlaces(spec: Spec): ValidationErrors {
  const { nodeName, nodeSelector } = spec;
  const given = places.filter((name) => spec[name] !== undefined && spec[name] !== false && spec[name] !== '');
  const names = given.map((name) => `\`${name}\``).join(', ');
  const isNo = (name: 'allNodes' | 'perDeviceNodeSelection') =>
    spec[name] === false ? [invalidValue(`spec.${name}`, false, 'must be either unset or set to true')] : [];
  return [
    ...(nodeName === ''
      ? [invalidValue('spec.nodeName', '', 'must be either unset or set to a non-empty string')]
      : []),
    ...(nodeName ? checked('spec.nodeName', nodeName, checkSubdomain) : []),
    ...(nodeSelector ? validateSelector(nodeSelector, 'spec.nodeSelector') : []),
    ...isNo('allNodes'),
    ...isNo('perDeviceNodeSelection'),
    ...(given.length === 0 ? [required('spec', placesAdvice)] : []),
    ...(given.length > 1 ? [invalidValue('spec', `{${names}}`, `${placesAdvice}, but multiple fields are set`)] : []),
  ];
}

/** Selectors of several slices are put together when devices are given out: one term each keeps that simple. */
function validateSelector(selector: NonNullable<Spec['nodeSelector']>, at: string): ValidationErrors {
  const terms = selector.nodeSelectorTerms ?? [];
  return [
    ...validateNodeSelector(selector, at),
    ...(terms.length === 1
      ? []
      : [
          invalidValue(
            `${at}.nodeSelectorTerms`,
            shownField(selector, 'nodeSelectorTerms'),
            'must have exactly one node selector term',
          ),
        ]),
  ];
}

const isBig = ({ taints = [], consumesCounters = [], attributes = {} }: Device) =>
  taints.length > 0 ||
  consumesCounters.length > 0 ||
  Object.values(attributes).some(({ ints, bools, strings, versions }) => ints ?? bools ?? strings ?? versions);

function validateDevices(devices: readonly Device[], perDevice: boolean): ValidationErrors {
  const at = 'spec.devices';
  const most = devices.some(isBig) ? maxBigDevices : maxDevices;
  return limitedSet(
    at,
    devices,
    (device, place) => validateDevice(device, perDevice, place),
    ({ name = '' }) => name,
    most,
  );
}

function validateCounterSets(sets: NonNullable<Spec['sharedCounters']>): ValidationErrors {
  return limitedSet(
    'spec.sharedCounters',
    sets,
    ({ name, counters = {} }, place) => [
      ...requiredChecked(`${place}.name`, name, checkLabelName),
      ...validateCounters(counters, `${place}.counters`),
    ],
    ({ name = '' }) => name,
    maxCounterSets,
  );
}

export const resourceSliceRules: Strategy<ResourceSlice> = {
  updateChecks: { meta: 0 },
  defaults,
  validateCreate: (object) => validateSpec(object),
  validateUpdate: validateSpec,
  warnings(next) {
    const { driver = '' } = specOf(next);
    if (driver === driver.toLowerCase()) return [];
    return [`spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`];
  },
};
