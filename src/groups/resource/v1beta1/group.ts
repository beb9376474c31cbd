// The resource group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { deviceClass } from '../v1/device-class.ts';
import { resourceClaim, resourceClaimTemplate } from './resource-claim.ts';
import { resourceSlice } from './resource-slice.ts';

const home = 'resource/v1beta1';

export const resourceV1beta1: GroupVersionSpec = {
  group: 'resource',
  version: 'v1beta1',
  priority: { group: 16200, version: 9 },
  offByDefault: true,
  kinds: [
    sameShape(deviceClass, home, { since: 35, removed: 38 }),
    resourceClaim,
    resourceClaimTemplate,
    resourceSlice,
  ],
};
