// The discovery group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { endpointSlice } from './endpoint-slice.ts';

export const discoveryV1: GroupVersionSpec = {
  group: 'discovery',
  version: 'v1',
  priority: { group: 16200, version: 15 },
  kinds: [endpointSlice],
};
