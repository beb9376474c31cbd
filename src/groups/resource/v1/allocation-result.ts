// Which devices were given to a claim.

import { bool, dateTime, field, listOf, mapOf, quantity, string, struct, within } from '../../../schema/types.ts';
import { mostAmounts } from '../../core/v1/pod/rounded-amounts.ts';
import { nodeSelector } from '../../core/v1/selectors.ts';
import { deviceConfigurationFields, deviceToleration } from './device-claim.ts';

const home = 'resource/v1';

const deviceRequestAllocationResult = struct(
  home,
  'DeviceRequestAllocationResult',
  'One device given to a request.',
  () => ({
    request: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the request, or "request/subrequest", that the device was given to.',
    }),
    driver: field(2, string, { always: true, required: true, about: 'Name of the driver that serves the device.' }),
    pool: field(3, string, { always: true, required: true, about: 'Name of the pool that the device belongs to.' }),
    device: field(4, string, { always: true, required: true, about: 'Name of the device within its pool.' }),
    adminAccess: field(5, bool, {
      pointer: true,
      about: 'True if given for monitoring only, next to its regular users.',
    }),
    tolerations: field(6, listOf(deviceToleration), {
      listType: 'atomic',
      about: 'Tolerations copied from the request at allocation time.',
    }),
    bindingConditions: field(7, listOf(string), {
      listType: 'atomic',
      gate: 'DRADeviceBindingConditions',
      about: 'Conditions copied from the device that must become true before binding.',
    }),
    bindingFailureConditions: field(8, listOf(string), {
      listType: 'atomic',
      gate: 'DRADeviceBindingConditions',
      about: 'Conditions copied from the device that make binding fail.',
    }),
    shareID: field(9, string, {
      goType: 'types.UID',
      pointer: true,
      gate: 'DRAConsumableCapacity',
      about: 'UID that tells apart shares of the same device.',
    }),
    consumedCapacity: field(10, mapOf(quantity, mostAmounts), {
      goType: 'map[QualifiedName]resource.Quantity',
      gate: 'DRAConsumableCapacity',
      about: 'Amount of each capacity taken by this share, after rounding.',
    }),
  }),
);

const deviceAllocationConfiguration = struct(
  home,
  'DeviceAllocationConfiguration',
  'A configuration entry copied into an allocation.',
  () => ({
    source: field(1, string, {
      goType: 'AllocationConfigSource',
      always: true,
      required: true,
      enum: ['FromClaim', 'FromClass'],
      about: 'Where the entry comes from: FromClass or FromClaim.',
    }),
    requests: field(2, listOf(string), {
      listType: 'atomic',
      about: 'Requests it is for, as "request" or "request/subrequest"; empty means all.',
    }),
    ...within(3, 'DeviceConfiguration', deviceConfigurationFields),
  }),
);

const deviceAllocationResult = struct(home, 'DeviceAllocationResult', 'The devices given to a claim.', () => ({
  results: field(1, listOf(deviceRequestAllocationResult), {
    listType: 'atomic',
    about: 'One entry for each allocated device.',
  }),
  config: field(2, listOf(deviceAllocationConfiguration), {
    listType: 'atomic',
    about: 'Settings to pass to the drivers, class entries before claim entries.',
  }),
}));

export const allocationResult = struct(
  home,
  'AllocationResult',
  'Devices given to a claim, and where they can be used.',
  () => ({
    devices: field(1, deviceAllocationResult, {
      always: true,
      about: 'The devices that were allocated, with their configuration.',
    }),
    nodeSelector: field(3, nodeSelector, {
      pointer: true,
      about: 'Nodes on which the devices can be used; unset means everywhere.',
    }),
    allocationTimestamp: field(5, dateTime, { pointer: true, about: 'When the allocation was made.' }),
  }),
);
