// Types that v1beta1 has of its own: requests describe devices themselves, devices are described under `basic`.

import type { Deprecation } from '../../../schema/resource.ts';
import type { Field, StructType } from '../../../schema/types.ts';
import { field, listOf, string, struct } from '../../../schema/types.ts';
import { heading, rehome, withFields } from '../../same-shape.ts';
import {
  deviceRequest as currentRequest,
  deviceSubRequest,
  exactDeviceRequest,
  mostRequests,
} from '../v1/device-claim.ts';
import { device as currentDevice, resourceSliceSpec } from '../v1/resource-slice-type.ts';

export const home = 'resource/v1beta1';
export const deprecated: Deprecation = { since: 35, removed: 38 };

const moved = (type: StructType) => rehome(type, home);

/** The same field with another number. */
const numbered = (one: Field, number: number): Field => ({ ...one, number });

const later = new Map([
  ['tolerations', 7],
  ['capacity', 8],
]);

const movedAlternative = moved(deviceSubRequest);
const alternative = withFields(movedAlternative, movedAlternative, (fields) =>
  fields.map((one) => numbered(one, later.get(one.name) ?? one.number)),
);

const movedExactly = moved(exactDeviceRequest);

/** What is wanted of devices stands next to the name; the alternatives stand before what was added after them. */
export const deviceRequest: StructType = withFields(
  {
    ...heading(moved(currentRequest)),
    about: 'One wish for devices in a claim; describe it directly or list alternatives in firstAvailable.',
  },
  movedExactly,
  (fields) => {
    const [name, , others] = currentRequest.fields as readonly [Field, Field, Field];
    const optional = fields.map(({ required: _, ...one }): Field => one);
    const added = optional.filter((one) => later.has(one.name)).map((one) => numbered(one, one.number + 2));
    const first = optional.filter((one) => !later.has(one.name)).map((one) => numbered(one, one.number + 1));
    return [name, ...first, { ...others, number: 7, type: listOf(alternative, mostRequests) }, ...added];
  },
);

const movedDevice = moved(currentDevice);

const basicDevice = withFields(
  { ...heading(movedDevice), name: 'BasicDevice', about: 'Properties and location of one device.' },
  movedDevice,
  ([, ...properties]) => properties.map((one) => numbered(one, one.number - 1)),
);

const device = struct(home, 'Device', 'One device offered by a driver.', () => ({
  name: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the device, unique in its pool; a lowercase DNS label.',
  }),
  basic: field(2, basicDevice, {
    pointer: true,
    about: 'Properties of the device, and the only form there is in this version.',
  }),
}));

const movedSlice = rehome(resourceSliceSpec, home, [device]);
const plain = new Set(['nodeName', 'allNodes']);

/** Absent and empty were the same for these two. */
export const sliceSpec: StructType = withFields(movedSlice, movedSlice, (fields) =>
  fields.map((one) => {
    const { pointer: _, ...rest } = one;
    return plain.has(one.name) ? rest : one;
  }),
);
