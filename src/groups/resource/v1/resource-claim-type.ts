// Type of ResourceClaim: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, listOf, rawExtension, string, struct } from '../../../schema/types.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';
import { allocationResult } from './allocation-result.ts';
import { resourceClaimSpec } from './device-claim.ts';

const home = 'resource/v1';

const resourceClaimConsumerReference = struct(
  home,
  'ResourceClaimConsumerReference',
  'An object that may use a claim, usually a pod.',
  () => ({
    apiGroup: field(1, string, { about: 'API group of the user; empty for the core group.' }),
    resource: field(3, string, {
      always: true,
      required: true,
      about: 'Lowercase plural resource name, such as "pods".',
    }),
    name: field(4, string, { always: true, required: true, about: 'Name of the user object.' }),
    uid: field(5, string, { goType: 'types.UID', always: true, required: true, about: 'UID of the user object.' }),
  }),
);

const networkDeviceData = struct(home, 'NetworkDeviceData', 'Network details of an allocated device.', () => ({
  interfaceName: field(1, string, { about: 'Name of the network interface; at most 256 characters.' }),
  ips: field(2, listOf(string), {
    listType: 'atomic',
    about: 'Addresses with prefix length, such as "192.0.2.5/24"; at most 16.',
  }),
  hardwareAddress: field(3, string, { about: 'Hardware (MAC) address of the interface; at most 128 characters.' }),
}));

const allocatedDeviceStatus = struct(
  home,
  'AllocatedDeviceStatus',
  'State of one allocated device, as reported by its driver.',
  () => ({
    driver: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the driver, as in the allocation result.',
    }),
    pool: field(2, string, {
      always: true,
      required: true,
      about: "Name of the device's pool, as in the allocation result.",
    }),
    device: field(3, string, { always: true, required: true, about: 'Name of the device within its pool.' }),
    shareID: field(7, string, {
      pointer: true,
      gate: 'DRAConsumableCapacity',
      about: 'UID of the share, when the device was allocated in shares.',
    }),
    conditions: field(4, listOf(condition), {
      always: true,
      listType: 'map',
      mapKeys: ['type'],
      about: "Driver's observations about the device, at most one per type.",
    }),
    data: field(5, rawExtension, { pointer: true, about: 'Free-form data from the driver; at most 10 KiB.' }),
    networkData: field(6, networkDeviceData, {
      pointer: true,
      about: 'Network details, when the device is a network interface.',
    }),
  }),
);

const resourceClaimStatus = struct(home, 'ResourceClaimStatus', 'Observed state of a claim.', () => ({
  allocation: field(1, allocationResult, {
    pointer: true,
    about: 'The devices given to the claim; unset until allocated.',
  }),
  reservedFor: field(2, listOf(resourceClaimConsumerReference), {
    listType: 'map',
    mapKeys: ['uid'],
    patchStrategy: 'merge',
    patchMergeKey: 'uid',
    about: 'Objects currently allowed to use the claim; at most 256.',
  }),
  devices: field(4, listOf(allocatedDeviceStatus), {
    listType: 'map',
    mapKeys: ['driver', 'device', 'pool', 'shareID'],
    gate: 'DRAResourceClaimDeviceStatus',
    about: 'State of each allocated device, as reported by drivers.',
  }),
}));

export const resourceClaimType = struct(
  home,
  'ResourceClaim',
  'Asks for devices such as GPUs for use by pods of its namespace.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, resourceClaimSpec, {
      always: true,
      required: true,
      about: 'The devices that are wanted; immutable.',
    }),
    status: field(3, resourceClaimStatus, { always: true, about: 'What was allocated and who may use it.' }),
  }),
);

export type ResourceClaim = ApiObject & Infer<typeof resourceClaimType>;
