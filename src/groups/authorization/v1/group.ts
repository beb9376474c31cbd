// The authorization group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';

export const authorizationV1: GroupVersionSpec = {
  group: 'authorization',
  version: 'v1',
  priority: { group: 17600, version: 15 },
  kinds: [],
};
