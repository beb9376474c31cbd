// Types of device claim: DeviceSelector, CELDeviceSelector, DeviceConfiguration and others.

import {
  bool,
  field,
  int64,
  listOf,
  mapOf,
  quantity,
  rawExtension,
  string,
  struct,
  within,
} from '../../../schema/types.ts';
import { mostAmounts } from '../../core/v1/pod/rounded-amounts.ts';

const home = 'resource/v1';

/** Far more than may be asked for: a claim of more is not worth finding out what else is wrong with it. */
export const mostRequests = 1000;

const celDeviceSelector = struct(home, 'CELDeviceSelector', 'Selects devices by a CEL expression.', () => ({
  expression: field(1, string, {
    always: true,
    required: true,
    about: 'Must return true to select; device.driver, device.attributes and device.capacity are available.',
  }),
}));

export const deviceSelector = struct(
  home,
  'DeviceSelector',
  'A test for devices; exactly one field must be set.',
  () => ({
    cel: field(1, celDeviceSelector, { pointer: true, about: 'A CEL expression that decides on each device.' }),
  }),
);

const opaqueDeviceConfiguration = struct(
  home,
  'OpaqueDeviceConfiguration',
  'Driver-specific settings, not interpreted by the cluster.',
  () => ({
    driver: field(1, string, { always: true, required: true, about: 'Name of the driver the settings are for.' }),
    parameters: field(2, rawExtension, {
      always: true,
      required: true,
      about: 'Any object the driver understands, usually with kind and apiVersion; at most 10 KiB.',
    }),
  }),
);

export const deviceConfigurationFields = {
  opaque: field(1, opaqueDeviceConfiguration, {
    pointer: true,
    about: 'Settings that only the named driver understands.',
  }),
};

export const deviceToleration = struct(home, 'DeviceToleration', 'Accepts device taints that match it.', () => ({
  key: field(1, string, { about: 'Taint key to accept; empty with operator Exists accepts all keys.' }),
  operator: field(2, string, {
    goType: 'DeviceTolerationOperator',
    default: 'Equal',
    enum: ['Equal', 'Exists'],
    about: 'Equal (default) compares the value too; Exists accepts any value.',
  }),
  value: field(3, string, { about: 'Taint value to accept; must be empty for operator Exists.' }),
  effect: field(4, string, {
    goType: 'DeviceTaintEffect',
    enum: ['NoExecute', 'NoSchedule', 'None'],
    about: 'Effect to accept; empty accepts all effects.',
  }),
  tolerationSeconds: field(5, int64, {
    pointer: true,
    about: 'Seconds to endure a NoExecute taint before eviction; unset means forever.',
  }),
}));

const capacityRequirements = struct(
  home,
  'CapacityRequirements',
  'Amounts of device capacity that a request needs.',
  () => ({
    requests: field(1, mapOf(quantity, mostAmounts), {
      goType: 'map[QualifiedName]resource.Quantity',
      about: 'Needed amount for each capacity name; the device must offer at least that much.',
    }),
  }),
);

export const exactDeviceRequest = struct(
  home,
  'ExactDeviceRequest',
  'A wish for devices without alternatives.',
  () => ({
    deviceClassName: field(1, string, {
      always: true,
      required: true,
      about: 'DeviceClass to take the devices from; required.',
    }),
    selectors: field(2, listOf(deviceSelector), {
      listType: 'atomic',
      about: 'Further tests that every device must pass; at most 32.',
    }),
    allocationMode: field(3, string, {
      goType: 'DeviceAllocationMode',
      enum: ['All', 'ExactCount'],
      about: 'ExactCount (default) asks for count devices; All asks for every matching one.',
    }),
    count: field(4, int64, { about: 'Number of devices wanted in mode ExactCount; default 1.' }),
    adminAccess: field(5, bool, {
      pointer: true,
      about: 'When true, asks for monitoring access to devices even if in use; needs a specially labelled namespace.',
    }),
    tolerations: field(6, listOf(deviceToleration), {
      listType: 'atomic',
      gate: 'DRADeviceTaints',
      about: 'Device taints that this request accepts.',
    }),
    capacity: field(7, capacityRequirements, {
      pointer: true,
      gate: 'DRAConsumableCapacity',
      about: 'Amounts of capacity needed from each device.',
    }),
  }),
);

export const deviceSubRequest = struct(home, 'DeviceSubRequest', 'One alternative within a request.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the alternative, a lowercase DNS label; seen as "request/name".',
  }),
  deviceClassName: field(2, string, {
    always: true,
    required: true,
    about: 'DeviceClass to take the devices from; required.',
  }),
  selectors: field(3, listOf(deviceSelector), {
    listType: 'atomic',
    about: 'Further tests that every device must pass; at most 32.',
  }),
  allocationMode: field(4, string, {
    goType: 'DeviceAllocationMode',
    enum: ['All', 'ExactCount'],
    about: 'ExactCount (default) asks for count devices; All asks for every matching one.',
  }),
  count: field(5, int64, { about: 'Number of devices wanted in mode ExactCount; default 1.' }),
  tolerations: field(6, listOf(deviceToleration), {
    listType: 'atomic',
    gate: 'DRADeviceTaints',
    about: 'Device taints that this alternative accepts.',
  }),
  capacity: field(7, capacityRequirements, {
    pointer: true,
    gate: 'DRAConsumableCapacity',
    about: 'Amounts of capacity needed from each device.',
  }),
}));

export const deviceRequest = struct(
  home,
  'DeviceRequest',
  'One wish for devices in a claim; set either exactly or firstAvailable.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the request, a lowercase DNS label that pods can refer to.',
    }),
    exactly: field(2, exactDeviceRequest, { pointer: true, about: 'A single description of the wanted devices.' }),
    firstAvailable: field(3, listOf(deviceSubRequest, mostRequests), {
      listType: 'atomic',
      gate: 'DRAPrioritizedList',
      about: 'Alternatives in order of preference; the first that can be met is used. At most 8.',
    }),
  }),
);

export const deviceConstraint = struct(
  home,
  'DeviceConstraint',
  'A condition over several allocated devices; set exactly one attribute field.',
  () => ({
    requests: field(1, listOf(string), {
      listType: 'atomic',
      about: 'Requests that the condition covers; empty means all in the claim.',
    }),
    matchAttribute: field(2, string, {
      goType: 'FullyQualifiedName',
      pointer: true,
      about: 'Full attribute name, such as "dra.example.com/numa", that must be equal on all devices.',
    }),
    distinctAttribute: field(3, string, {
      goType: 'FullyQualifiedName',
      pointer: true,
      gate: 'DRAConsumableCapacity',
      about: 'Full attribute name that must differ between all devices.',
    }),
  }),
);

export const deviceClaimConfiguration = struct(
  home,
  'DeviceClaimConfiguration',
  'A configuration entry in a claim.',
  () => ({
    requests: field(1, listOf(string), {
      listType: 'atomic',
      about: 'Requests it is for, as "request" or "request/subrequest"; empty means all.',
    }),
    ...within(2, 'DeviceConfiguration', deviceConfigurationFields),
  }),
);

const deviceClaim = struct(home, 'DeviceClaim', 'What a claim asks for.', () => ({
  requests: field(1, listOf(deviceRequest, mostRequests), {
    always: true,
    listType: 'atomic',
    about: 'The devices wanted; all entries must be satisfied together. At most 32.',
  }),
  constraints: field(2, listOf(deviceConstraint), {
    listType: 'atomic',
    about: 'Conditions that the chosen devices must satisfy jointly; at most 32.',
  }),
  config: field(3, listOf(deviceClaimConfiguration), {
    listType: 'atomic',
    about: 'Settings for the drivers, for some or all requests; at most 32.',
  }),
}));

export const resourceClaimSpec = struct(home, 'ResourceClaimSpec', 'What a claim asks for.', () => ({
  devices: field(1, deviceClaim, { always: true, about: 'Requests, constraints and settings for devices.' }),
}));
