// ResourceSlice as v1beta1 had it.

import type { ApiObject } from '../../../meta/object.ts';
import { formatTime } from '../../../meta/time.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { convertedKind } from '../../converted-kind.ts';
import { rehome } from '../../same-shape.ts';
import type { Device } from '../v1/device-rules.ts';
import { resourceSlice as stored } from '../v1/resource-slice.ts';
import { withTaintTimes } from '../v1/resource-slice-rules.ts';
import { sliceConversion } from './conversion.ts';
import { deprecated, home, sliceSpec } from './device-types.ts';

type Slice = ApiObject & { readonly spec?: { readonly devices?: readonly { readonly basic?: Device }[] } };

export const resourceSlice: KindDefinition = convertedKind(stored, {
  type: rehome(stored.type, home, [sliceSpec]),
  conversion: sliceConversion,
  deprecated,
  defaults(object: Slice, { clock }) {
    const { devices, ...spec } = object.spec ?? {};
    if (!devices) return object;
    const now = formatTime(clock.now());
    const dated = devices.map((one) => (one.basic ? { ...one, basic: withTaintTimes(one.basic, now) } : one));
    return { ...object, spec: { ...spec, devices: dated } };
  },
  ...(stored.selectableFields ? { selectableFields: stored.selectableFields } : {}),
});
