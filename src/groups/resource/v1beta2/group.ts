// The resource group, v1beta2.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { deviceClass } from '../v1/device-class.ts';
import { resourceClaim } from '../v1/resource-claim.ts';
import { resourceClaimTemplate } from '../v1/resource-claim-template.ts';
import { resourceSlice } from '../v1/resource-slice.ts';
import { deviceTaintRule } from '../v1alpha3/device-taint-rule.ts';

const home = 'resource/v1beta2';

export const resourceV1beta2: GroupVersionSpec = {
  group: 'resource',
  version: 'v1beta2',
  priority: { group: 16200, version: 15 },
  offByDefault: true,
  kinds: [
    sameShape(deviceClass, home, { since: 36, removed: 39 }),
    sameShape(deviceTaintRule, home, { since: 39, removed: 42 }),
    sameShape(resourceClaim, home, { since: 36, removed: 39 }),
    sameShape(resourceClaimTemplate, home, { since: 36, removed: 39 }),
    sameShape(resourceSlice, home, { since: 36, removed: 39 }),
  ],
};
