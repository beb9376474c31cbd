// The node group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { runtimeClass } from './runtime-class.ts';

export const nodeV1: GroupVersionSpec = {
  group: 'node',
  version: 'v1',
  priority: { group: 16300, version: 15 },
  kinds: [runtimeClass],
};
