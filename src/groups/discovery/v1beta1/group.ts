// The discovery group, v1beta1: served only to who asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { endpointSliceV1beta1 } from './endpoint-slice.ts';

export const discoveryV1beta1: GroupVersionSpec = {
  group: 'discovery',
  version: 'v1beta1',
  priority: { group: 16200, version: 12 },
  offByDefault: true,
  kinds: [endpointSliceV1beta1],
};
