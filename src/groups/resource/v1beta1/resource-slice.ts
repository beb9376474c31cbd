// ResourceSlice as v1beta1 had it.

import type { KindDefinition } from '../../../schema/resource.ts';
import { convertedKind } from '../../converted-kind.ts';
import { rehome } from '../../same-shape.ts';
import { resourceSlice as stored } from '../v1/resource-slice.ts';
import { sliceConversion } from './conversion.ts';
import { home, sliceSpec } from './device-types.ts';

export const resourceSlice: KindDefinition = convertedKind(stored, {
  type: rehome(stored.type, home, [sliceSpec]),
  conversion: sliceConversion,
  ...(stored.selectableFields ? { selectableFields: stored.selectableFields } : {}),
});
