// The resource group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { deviceClass } from '../v1/device-class.ts';
import { deprecated, home } from './device-types.ts';
import { resourceClaim, resourceClaimTemplate } from './resource-claim.ts';
import { resourceSlice } from './resource-slice.ts';

export const resourceV1beta1: GroupVersionSpec = {
  group: 'resource',
  version: 'v1beta1',
  priority: { group: 16200, version: 9 },
  offByDefault: true,
  kinds: [sameShape(deviceClass, home, deprecated), resourceClaim, resourceClaimTemplate, resourceSlice],
};
