// Type of ResourceSlice: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import {
  bool,
  dateTime,
  field,
  type Infer,
  int64,
  listOf,
  mapOf,
  quantity,
  string,
  struct,
} from '../../../schema/types.ts';
import { nodeSelector } from '../../core/v1/selectors.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'resource/v1';

const resourcePool = struct(home, 'ResourcePool', 'The pool that a slice is a part of.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: "Name of the pool, for node-local devices often the node's name.",
  }),
  generation: field(2, int64, {
    always: true,
    required: true,
    about: 'Version of the pool; raised on each change, and older slices are ignored.',
  }),
  resourceSliceCount: field(3, int64, {
    always: true,
    required: true,
    about: 'Number of slices that make up the pool at this generation.',
  }),
}));

export const deviceAttribute = struct(
  home,
  'DeviceAttribute',
  'A typed property of a device; set exactly one field.',
  () => ({
    int: field(2, int64, { pointer: true, about: 'A value that is a whole number.' }),
    bool: field(3, bool, { pointer: true, about: 'A true or false value.' }),
    string: field(4, string, { pointer: true, about: 'A text value of at most 64 characters.' }),
    version: field(5, string, { pointer: true, about: 'A semantic version such as "1.2.3", at most 64 characters.' }),
    ints: field(6, listOf(int64), {
      listType: 'atomic',
      off: true,
      about: 'A list of whole numbers, without repeats.',
    }),
    bools: field(7, listOf(bool), { listType: 'atomic', off: true, about: 'A list of true or false values.' }),
    strings: field(8, listOf(string), {
      listType: 'atomic',
      off: true,
      about: 'A list of texts, each at most 64 characters long.',
    }),
    versions: field(9, listOf(string), {
      listType: 'atomic',
      off: true,
      about: 'A list of semantic versions such as "1.2.3".',
    }),
  }),
);

const capacityRequestPolicyRange = struct(
  home,
  'CapacityRequestPolicyRange',
  'A range of amounts that may be requested.',
  () => ({
    min: field(1, quantity, {
      pointer: true,
      required: true,
      about: 'Smallest amount; smaller requests are raised to it.',
    }),
    max: field(2, quantity, { pointer: true, about: 'Largest amount allowed; unset means up to the full capacity.' }),
    step: field(3, quantity, {
      pointer: true,
      about: 'Distance between allowed amounts, counted from min; requests are rounded up.',
    }),
  }),
);

export const capacityRequestPolicy = struct(
  home,
  'CapacityRequestPolicy',
  'How much of a shareable capacity a request may take.',
  () => ({
    default: field(1, quantity, {
      pointer: true,
      always: true,
      about: 'Amount taken by requests that name none; must fit the allowed values.',
    }),
    validValues: field(3, listOf(quantity), {
      listType: 'atomic',
      about: 'The exact amounts allowed, ascending; requests are rounded up to the next one.',
    }),
    validRange: field(4, capacityRequestPolicyRange, {
      pointer: true,
      about: 'Range of amounts allowed; cannot be combined with validValues.',
    }),
  }),
);

const deviceCapacity = struct(home, 'DeviceCapacity', 'An amount that a device offers.', () => ({
  value: field(1, quantity, { always: true, required: true, about: 'The full amount, as a quantity such as 40Gi.' }),
  requestPolicy: field(2, capacityRequestPolicy, {
    pointer: true,
    gate: 'DRAConsumableCapacity',
    about: 'How requests may split the amount; only for devices that allow multiple allocations.',
  }),
}));

const counter = struct(home, 'Counter', 'An amount of something that devices share.', () => ({
  value: field(1, quantity, { always: true, required: true, about: 'The amount, as a quantity.' }),
}));

const deviceCounterConsumption = struct(
  home,
  'DeviceCounterConsumption',
  'What a device draws from one counter set.',
  () => ({
    counterSet: field(1, string, { always: true, required: true, about: 'Name of the counter set drawn from.' }),
    counters: field(2, mapOf(counter), { required: true, about: 'Amounts drawn, by counter name; at most 32.' }),
  }),
);

/** The same in every version. */
export const deviceTaintFields = () => ({
  key: field(1, string, {
    always: true,
    required: true,
    about: 'Taint key, in label key form such as "example.com/unhealthy".',
  }),
  value: field(2, string, { about: 'Taint value, in label value form; may be empty.' }),
  effect: field(3, string, {
    goType: 'DeviceTaintEffect',
    always: true,
    required: true,
    enum: ['NoExecute', 'NoSchedule', 'None'],
    about: 'NoSchedule blocks new use, NoExecute also evicts running pods, None is informational only.',
  }),
  timeAdded: field(4, dateTime, {
    pointer: true,
    about: 'When the taint was added; filled in by the server if missing.',
  }),
});

const aboutTaint = 'A mark on a device that keeps away claims not tolerating it.';

export const deviceTaint = struct(home, 'DeviceTaint', aboutTaint, deviceTaintFields);

const nodeAllocatableResourceMapping = struct(
  home,
  'NodeAllocatableResourceMapping',
  'Converts use of a device into an amount of a node resource.',
  () => ({
    capacityKey: field(1, string, {
      goType: 'QualifiedName',
      pointer: true,
      about: 'Capacity name whose consumed amount is the base; unset counts devices instead.',
    }),
    allocationMultiplier: field(2, quantity, {
      pointer: true,
      about: 'Factor by which the base amount or device count is multiplied; default 1.',
    }),
  }),
);

export const device = struct(home, 'Device', 'One device offered by a driver.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the device, unique in its pool; a lowercase DNS label.',
  }),
  attributes: field(2, mapOf(deviceAttribute), {
    goType: 'map[QualifiedName]DeviceAttribute',
    about: 'Properties that selectors can test, by name; at most 32 together with capacity.',
  }),
  capacity: field(3, mapOf(deviceCapacity), {
    goType: 'map[QualifiedName]DeviceCapacity',
    about: 'Amounts the device offers, by name, such as memory.',
  }),
  consumesCounters: field(4, listOf(deviceCounterConsumption), {
    listType: 'atomic',
    gate: 'DRAPartitionableDevices',
    about: 'Shared counters that using this device draws from.',
  }),
  nodeName: field(5, string, {
    pointer: true,
    gate: 'DRAPartitionableDevices',
    about: 'Node the device is usable on; only with perDeviceNodeSelection in the slice.',
  }),
  nodeSelector: field(6, nodeSelector, {
    pointer: true,
    gate: 'DRAPartitionableDevices',
    about: 'Nodes the device is usable on; only with perDeviceNodeSelection in the slice.',
  }),
  allNodes: field(7, bool, {
    pointer: true,
    gate: 'DRAPartitionableDevices',
    about: 'True if usable on every node; only with perDeviceNodeSelection in the slice.',
  }),
  taints: field(8, listOf(deviceTaint), {
    listType: 'atomic',
    gate: 'DRADeviceTaints',
    about: 'Marks that keep claims away unless they tolerate them.',
  }),
  bindsToNode: field(9, bool, {
    pointer: true,
    gate: 'DRADeviceBindingConditions',
    about: 'When true, allocating this device ties the claim to the node chosen at that time.',
  }),
  bindingConditions: field(10, listOf(string), {
    listType: 'atomic',
    gate: 'DRADeviceBindingConditions',
    about: 'Conditions that must become true before a pod is bound; at most 4.',
  }),
  bindingFailureConditions: field(11, listOf(string), {
    listType: 'atomic',
    gate: 'DRADeviceBindingConditions',
    about: 'Conditions that, once true, make binding fail and be retried; at most 4.',
  }),
  allowMultipleAllocations: field(12, bool, {
    pointer: true,
    gate: 'DRAConsumableCapacity',
    about: 'When true, several requests may share the device, splitting its capacity.',
  }),
  nodeAllocatableResourceMappings: field(13, mapOf(nodeAllocatableResourceMapping), {
    goType: 'map[v1.ResourceName]NodeAllocatableResourceMapping',
    off: true,
    about: 'How using this device counts against node resources such as cpu or memory.',
  }),
}));

const counterSet = struct(home, 'CounterSet', 'A named group of counters that devices of a pool draw from.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the set, as a lowercase DNS label.' }),
  counters: field(2, mapOf(counter), { required: true, about: 'Amounts in the set, by counter name; at most 32.' }),
}));

export const resourceSliceSpec = struct(
  home,
  'ResourceSliceSpec',
  'Devices of a pool; exactly one of the four node selection fields must be set.',
  () => ({
    driver: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the driver, in DNS subdomain form; immutable.',
    }),
    pool: field(2, resourcePool, { always: true, required: true, about: 'The pool that this slice belongs to.' }),
    nodeName: field(3, string, { pointer: true, about: 'Node that all devices here belong to; immutable.' }),
    nodeSelector: field(4, nodeSelector, {
      pointer: true,
      about: 'Nodes that can use all devices here; exactly one term.',
    }),
    allNodes: field(5, bool, { pointer: true, about: 'True if every node can use the devices here.' }),
    devices: field(6, listOf(device), {
      listType: 'atomic',
      about: 'The devices themselves, at most 128, or fewer with taints or counters.',
    }),
    perDeviceNodeSelection: field(7, bool, {
      pointer: true,
      gate: 'DRAPartitionableDevices',
      about: 'When true, each device states its own nodes.',
    }),
    sharedCounters: field(8, listOf(counterSet), {
      listType: 'atomic',
      gate: 'DRAPartitionableDevices',
      about: 'Counter sets that devices of the pool draw from; at most 8.',
    }),
  }),
);

export const resourceSliceType = struct(
  home,
  'ResourceSlice',
  'A list of devices published by a driver, forming all or part of a pool.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, resourceSliceSpec, {
      always: true,
      required: true,
      about: 'The driver, pool, location and devices.',
    }),
  }),
);

export type ResourceSlice = ApiObject & Infer<typeof resourceSliceType>;
