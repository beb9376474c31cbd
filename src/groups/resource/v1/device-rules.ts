// Rules of one device of a slice: what it is, what it has, what it draws on, and which nodes can use it.

import { forbiddenField, invalidValue, required, tooLong } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkLabelName, checkSubdomain } from '../../../meta/names.ts';
import { atScale, compareQuantities, formatQuantity, parseQuantity, type Quantity } from '../../../meta/quantity.ts';
import type { Infer } from '../../../schema/types.ts';
import { inReferenceForm } from '../../../wording/types/reference-form.ts';
import { validateNodeSelector } from '../../core/v1/pod/node-selector-rules.ts';
import { checked, requiredChecked, type ValidationErrors } from '../../rules.ts';
import {
  limited,
  limitedMap,
  limitedSet,
  repeated,
  validateAttributeName,
  validateBinding,
  validateTaint,
} from './device-names.ts';
import type { capacityRequestPolicy, device, deviceAttribute } from './resource-slice-type.ts';

export type Device = Infer<typeof device>;
type Attribute = Infer<typeof deviceAttribute>;
type Policy = Infer<typeof capacityRequestPolicy>;

const maxProperties = 32;
const maxValues = 48;
const maxText = 64;
const maxTaints = 16;
const maxConsumptions = 2;
const maxCounters = 32;
const maxOptions = 10;

export function validateDevice(device: Device, perDevice: boolean, at: string): ValidationErrors {
  const { attributes = {}, capacity = {}, consumesCounters = [] } = device;
  const properties = Object.keys(attributes).length + Object.keys(capacity).length;
  const values = Object.values(attributes).reduce((sum, one) => sum + valuesOf(one), 0);
  const atMost = (what: string, limit: number) => `the total number of ${what} must not exceed ${limit}`;
  return [
    ...checked(`${at}.name`, device.name ?? '', checkLabelName),
    ...(properties > maxProperties
      ? [invalidValue(at, properties, atMost('attributes and capacities', maxProperties))]
      : []),
    ...(values > maxValues ? [invalidValue(at, values, atMost('attribute values', maxValues))] : []),
    ...limitedMap(`${at}.attributes`, attributes, validateAttributeName, Number.POSITIVE_INFINITY, validateAttribute),
    ...validateCapacity(device, at),
    ...limited(`${at}.taints`, device.taints ?? [], validateTaint, maxTaints),
    ...limitedSet(
      `${at}.consumesCounters`,
      consumesCounters,
      validateConsumption,
      ({ counterSet = '' }) => counterSet,
      maxConsumptions,
    ),
    ...(perDevice ? validateNodes(device, at) : validateNoNodes(device, at)),
    ...validateBinding(device, at),
  ];
}

const lists = ['ints', 'bools', 'strings', 'versions'] as const;
const valuesOf = (attribute: Attribute) =>
  Math.max(
    1,
    lists.reduce((sum, name) => sum + (attribute[name]?.length ?? 0), 0),
  );

const semanticVersion =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

function validateAttribute(attribute: Attribute, at: string): ValidationErrors {
  const given = Object.entries(attribute).filter(([, value]) => value !== undefined);
  return [
    ...findEach(given, ([name, value]) => validateValue(name, value, `${at}.${name}`)),
    ...(given.length === 1
      ? []
      : [
          invalidValue(
            at,
            given.length === 0 ? '' : inReferenceForm('DeviceAttribute', attribute),
            'exactly one value must be specified',
          ),
        ]),
  ];
}

function validateValue(name: string, value: unknown, at: string): ValidationErrors {
  if (Array.isArray(value)) {
    if (value.length === 0) return [invalidValue(at, value, 'must not be empty if specified')];
    return findEach(value, (one, index) => validateValue(name.slice(0, -1), one, `${at}[${index}]`));
  }
  if (typeof value !== 'string') return [];
  const isOdd = name === 'version' && !semanticVersion.test(value);
  return [
    ...(isOdd ? [invalidValue(at, value, 'must be a string compatible with semver.org spec 2.0.0')] : []),
    ...(Buffer.byteLength(value) > maxText ? [tooLong(at, maxText)] : []),
  ];
}

function validateCapacity({ capacity = {}, allowMultipleAllocations: shared }: Device, at: string): ValidationErrors {
  return limitedMap(
    `${at}.capacity`,
    capacity,
    validateAttributeName,
    Number.POSITIVE_INFINITY,
    ({ value = '0', requestPolicy: policy }, place) => {
      if (!policy) return [];
      const here = `${place}.requestPolicy`;
      return shared
        ? validatePolicy(policy, value, here)
        : [forbiddenField(here, 'allowMultipleAllocations must be true')];
    },
  );
}

const amount = (text: string) => parseQuantity(text) as Quantity;
const compare = (a: string, b: string) => compareQuantities(amount(a), amount(b));

/** How much of a capacity one claim gets: one of several amounts, or one of a range. */
function validatePolicy(policy: Policy, capacity: string, at: string): ValidationErrors {
  const { validValues = [], validRange, default: usual } = policy;
  const both = 'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
  if (validValues.length > 0 && validRange) return [forbiddenField(at, both)];
  const kind = validRange ? 'validRange' : 'validValues';
  if (!validRange && validValues.length === 0) return [];
  if (!usual) return [required(`${at}.default`, `required when ${kind} is defined`)];
  return validRange
    ? validateRange(validRange, usual, capacity, `${at}.validRange`)
    : validateOptions(validValues, usual, capacity, `${at}.validValues`);
}

function validateOptions(options: readonly string[], usual: string, capacity: string, at: string): ValidationErrors {
  const isSorted = (one: string, index: number) => index === 0 || compare(options[index - 1] ?? '0', one) <= 0;
  return [
    ...findEach(options, (one, index) =>
      isSorted(one, index) ? [] : [invalidValue(`${at}[${index}]`, one, 'values must be sorted in ascending order')],
    ),
    ...limited(
      at,
      options,
      (one, place) =>
        compare(one, capacity) > 0
          ? [invalidValue(place, one, `option is larger than capacity value: ${capacity}`)]
          : [],
      maxOptions,
    ),
    ...repeated(options, (index) => `${at}[${index}]`),
    ...(options.some((one) => compare(one, usual) === 0)
      ? []
      : [invalidValue(at, usual, 'default value is not valid according to the requestPolicy')]),
  ];
}

function validateRange(
  range: NonNullable<Policy['validRange']>,
  usual: string,
  capacity: string,
  at: string,
): ValidationErrors {
  const { min, max } = range;
  if (!min) return [required(`${at}.min`, 'required when validRange is defined')];
  const rules: readonly (readonly [boolean, string, string, string])[] = [
    [compare(min, capacity) > 0, 'min', min, `min is larger than capacity value: ${capacity}`],
    [compare(usual, min) < 0, 'min', usual, `default is less than min: ${min}`],
    [!!max && compare(min, max) > 0, 'max', min, `min is larger than max: ${max}`],
    [
      max !== undefined && compare(max, capacity) > 0,
      'max',
      max ?? '',
      `max is larger than capacity value: ${capacity}`,
    ],
    [!!max && compare(usual, max) > 0, 'max', usual, `default is more than max: ${max}`],
  ];
  return [
    ...rules
      .filter(([broken]) => broken)
      .map(([, field, value, detail]) => invalidValue(`${at}.${field}`, value, detail)),
    ...validateStep(range, { values: [usual, ...(max ? [max] : [])], min, capacity }, `${at}.step`),
  ];
}

const thousandths = -3;

interface StepBounds {
  readonly values: readonly string[];
  readonly min: string;
  readonly capacity: string;
}

function validateStep(
  { step }: { step?: string },
  { values, min, capacity }: StepBounds,
  at: string,
): ValidationErrors {
  if (!step) return [];
  const exact = (text: string) => atScale(amount(text), thousandths);
  if (exact(step) <= 0n) return [invalidValue(at, step, 'must be greater than zero')];
  const first = exact(min) + exact(step);
  const reached = formatQuantity({ ...amount(min), digits: first, scale: thousandths });
  return [
    ...(first > exact(capacity)
      ? [invalidValue(at, step, `one step ${reached} is larger than capacity value: ${capacity}`)]
      : []),
    ...values
      .filter((value) => (exact(value) - exact(min)) % exact(step) !== 0n)
      .map((value) => invalidValue(at, value, `value is not a multiple of a given step (${step}) from (${min})`)),
  ];
}

function validateConsumption(
  { counterSet, counters = {} }: NonNullable<Device['consumesCounters']>[number],
  at: string,
): ValidationErrors {
  return [
    ...requiredChecked(`${at}.counterSet`, counterSet, checkLabelName),
    ...validateCounters(counters, `${at}.counters`),
  ];
}

export function validateCounters(counters: Readonly<Record<string, unknown>>, at: string): ValidationErrors {
  if (Object.keys(counters).length === 0) return [required(at)];
  return limitedMap(at, counters, (key, place) => checked(place, key, checkLabelName), maxCounters);
}

const nodeFields = ['nodeName', 'nodeSelector', 'allNodes'] as const;
const nodesAdvice =
  'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';

function validateNodes(device: Device, at: string): ValidationErrors {
  const { nodeName, nodeSelector, allNodes } = device;
  const given = nodeFields.filter(
    (name) => device[name] !== undefined && device[name] !== false && device[name] !== '',
  );
  const list = `{${given.map((name) => `\`${name}\``).join(', ')}}`;
  return [
    ...(nodeName === '' ? [invalidValue(`${at}.nodeName`, '', 'must not be empty')] : []),
    ...(nodeName ? checked(`${at}.nodeName`, nodeName, checkSubdomain) : []),
    ...(nodeSelector ? validateNodeSelector(nodeSelector, `${at}.nodeSelector`) : []),
    ...(allNodes === false ? [invalidValue(`${at}.allNodes`, false, 'must be either unset or set to true')] : []),
    ...(given.length === 0 ? [required(at, nodesAdvice)] : []),
    ...(given.length > 1 ? [invalidValue(at, list, nodesAdvice)] : []),
  ];
}

function validateNoNodes(device: Device, at: string): ValidationErrors {
  if (nodeFields.every((name) => device[name] === undefined)) return [];
  const detail =
    '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [invalidValue(at, null, detail)];
}
