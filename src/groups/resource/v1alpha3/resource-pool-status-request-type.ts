// Type of ResourcePoolStatusRequest: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { field, type Infer, int32, int64, listOf, string, struct } from '../../../schema/types.ts';
import { condition, objectMeta } from '../../meta/v1/types.ts';

const home = 'resource/v1alpha3';

const resourcePoolStatusRequestSpec = struct(
  home,
  'ResourcePoolStatusRequestSpec',
  'Which pools to report on.',
  () => ({
    driver: field(1, string, {
      always: true,
      required: true,
      about: 'Name of the driver whose pools are reported, such as "gpu.example.com".',
    }),
    poolName: field(2, string, {
      pointer: true,
      about: "Reports only the pool with this name; unset reports all of the driver's pools.",
    }),
    limit: field(3, int32, {
      pointer: true,
      default: 100,
      about: 'Most pools to list in the answer, 1 to 1000; default 100.',
    }),
  }),
);

const poolStatus = struct(home, 'PoolStatus', 'Device counts of one resource pool.', () => ({
  driver: field(1, string, { required: true, about: 'Name of the driver that owns the pool.' }),
  poolName: field(2, string, { required: true, about: 'Name of the pool being reported.' }),
  generation: field(9, int64, { always: true, required: true, about: 'Newest version of the pool that was seen.' }),
  resourceSliceCount: field(8, int32, { pointer: true, about: 'Number of slices that make up the pool.' }),
  totalDevices: field(4, int32, { pointer: true, about: 'Number of all devices in the pool.' }),
  allocatedDevices: field(5, int32, { pointer: true, about: 'Number of devices that are given to claims.' }),
  availableDevices: field(6, int32, { pointer: true, about: 'Number of devices that are still free to allocate.' }),
  unavailableDevices: field(7, int32, {
    pointer: true,
    about: 'Number of unallocated devices that cannot be used, for instance because of taints.',
  }),
  nodeName: field(3, string, {
    pointer: true,
    about: 'Node that the pool belongs to; unset if it is tied to no single node.',
  }),
  validationError: field(10, string, {
    pointer: true,
    about: 'Why the pool could not be counted fully; the counts may then be missing.',
  }),
}));

const resourcePoolStatusRequestStatus = struct(
  home,
  'ResourcePoolStatusRequestStatus',
  'Answer to a pool status request.',
  () => ({
    poolCount: field(6, int32, {
      pointer: true,
      required: true,
      about: 'How many pools matched, even if fewer are listed.',
    }),
    pools: field(2, listOf(poolStatus), { listType: 'atomic', about: 'The reported pools, cut off at the limit.' }),
    conditions: field(3, listOf(condition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Outcome of the request, such as Complete or Failed.',
    }),
  }),
);

export const resourcePoolStatusRequestType = struct(
  home,
  'ResourcePoolStatusRequest',
  "Asks once for device counts of a driver's pools; create a new one to refresh.",
  () => ({
    metadata: field(1, objectMeta, { always: true, required: true, about: 'Standard object metadata.' }),
    spec: field(2, resourcePoolStatusRequestSpec, {
      always: true,
      required: true,
      about: 'The pools you want to know about; immutable.',
    }),
    status: field(3, resourcePoolStatusRequestStatus, {
      pointer: true,
      about: 'The answer, filled in once by the controller.',
    }),
  }),
);

export type ResourcePoolStatusRequest = ApiObject & Infer<typeof resourcePoolStatusRequestType>;
