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
    sameShape(deviceClass, home),
    sameShape(deviceTaintRule, home),
    sameShape(resourceClaim, home),
    sameShape(resourceClaimTemplate, home),
    sameShape(resourceSlice, home),
  ],
};
