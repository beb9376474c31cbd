// ResourceSlice: what must hold of the devices a driver offers.

import { duplicate, invalidValue, required, tooLong, tooMany } from '../../../meta/field-errors.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { Strategy } from '../../../schema/resource.ts';
import { checked, type Findings, immutable, notNegative, oneOf, requiredChecked } from '../../rules.ts';
import { validateDriver } from './device-claim-rules.ts';
import type { ResourceSlice } from './resource-slice.ts';

type Spec = NonNullable<ResourceSlice['spec']>;
type Device = NonNullable<Spec['devices']>[number];

const specOf = (object: ApiObject): Spec => (object as ResourceSlice).spec ?? {};

const maxDevices = 128;
const maxProperties = 32;
const maxPoolName = 253;
const places = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
const placesAdvice = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';

function validate(object: ApiObject): Findings {
  const spec = specOf(object);
  return [
    ...validateDriver(spec.driver, 'spec.driver'),
    ...validatePool(spec.pool),
    ...validatePlaces(spec),
    ...validateDevices(spec.devices ?? []),
  ];
}

function validatePool({
  name = '',
  generation,
  resourceSliceCount: count = 0,
}: NonNullable<Spec['pool']> = {}): Findings {
  return [
    ...(name === '' ? [required('spec.pool.name')] : []),
    ...(name.length > maxPoolName ? [tooLong('spec.pool.name', maxPoolName)] : []),
    ...(name === '' ? [] : name.split('/').flatMap((part) => checked('spec.pool.name', part, checkSubdomain))),
    ...(count > 0 ? [] : [invalidValue('spec.pool.resourceSliceCount', count, 'must be greater than zero')]),
    ...notNegative('spec.pool.generation', generation),
  ];
}

function validatePlaces(spec: Spec): Findings {
  const given = places.filter((name) => spec[name] !== undefined && spec[name] !== false);
  if (given.length === 0) return [required('spec', placesAdvice)];
  const names = given.map((name) => `\`${name}\``).join(', ');
  return [
    ...(given.length > 1 ? [invalidValue('spec', `{${names}}`, `${placesAdvice}, but multiple fields are set`)] : []),
    ...(spec.nodeName === undefined ? [] : requiredChecked('spec.nodeName', spec.nodeName, checkSubdomain)),
  ];
}

function validateDevices(devices: readonly Device[]): Findings {
  const seen = new Set<string>();
  return [
    ...(devices.length > maxDevices ? [tooMany('spec.devices', devices.length, maxDevices)] : []),
    ...devices.flatMap((device, index) => {
      const at = `spec.devices[${index}]`;
      const { name = '' } = device;
      const again = seen.has(name);
      seen.add(name);
      return [...(again ? [duplicate(`${at}.name`, name)] : []), ...validateDevice(device, at)];
    }),
  ];
}

function validateDevice({ name, attributes = {}, capacity = {}, taints = [] }: Device, at: string): Findings {
  const properties = Object.keys(attributes).length + Object.keys(capacity).length;
  const tooManyProperties = `the total number of attributes and capacities must not exceed ${maxProperties}`;
  return [
    ...requiredChecked(`${at}.name`, name, checkLabelName),
    ...(properties > maxProperties ? [invalidValue(at, properties, tooManyProperties)] : []),
    ...Object.entries(attributes).flatMap(([key, value]) => validateAttribute(value, `${at}.attributes[${key}]`)),
    ...taints.flatMap(({ effect }, index) =>
      oneOf(`${at}.taints[${index}].effect`, effect, ['NoExecute', 'NoSchedule', 'None']),
    ),
  ];
}

const maxText = 64;

function validateAttribute(value: object, at: string): Findings {
  const given = Object.entries(value).filter(([, item]) => item !== undefined);
  if (given.length === 0) return [required(at, 'exactly one value must be specified')];
  if (given.length > 1) return [invalidValue(at, value, 'exactly one value must be specified')];
  return given.flatMap(([name, item]) =>
    typeof item === 'string' && item.length > maxText ? [tooLong(`${at}.${name}`, maxText)] : [],
  );
}

export const resourceSliceRules: Strategy = {
  validate,
  validateUpdate(next, old) {
    const spec = specOf(next);
    const was = specOf(old);
    return [
      ...immutable('spec.driver', spec.driver, was.driver),
      ...immutable('spec.pool.name', spec.pool?.name, was.pool?.name),
      ...immutable('spec.nodeName', spec.nodeName, was.nodeName),
    ];
  },
};
