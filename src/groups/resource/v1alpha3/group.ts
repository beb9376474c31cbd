// The resource group, v1alpha3.

import type { GroupVersionSpec } from '../../group-version.ts';
import { deviceTaintRule } from './device-taint-rule.ts';
import { resourcePoolStatusRequest } from './resource-pool-status-request.ts';

export const resourceV1alpha3: GroupVersionSpec = {
  group: 'resource',
  version: 'v1alpha3',
  priority: { group: 16200, version: 1 },
  offByDefault: true,
  kinds: [deviceTaintRule, resourcePoolStatusRequest],
};
