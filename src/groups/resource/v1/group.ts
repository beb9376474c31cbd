// The resource group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { deviceClass } from './device-class.ts';
import { resourceClaim } from './resource-claim.ts';
import { resourceClaimTemplate } from './resource-claim-template.ts';
import { resourceSlice } from './resource-slice.ts';

export const resourceV1: GroupVersionSpec = {
  group: 'resource',
  version: 'v1',
  priority: { group: 16200, version: 21 },
  kinds: [deviceClass, resourceClaim, resourceClaimTemplate, resourceSlice],
};
