// The apiregistration group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { apiService } from './api-service.ts';

export const apiregistrationV1: GroupVersionSpec = {
  group: 'apiregistration',
  version: 'v1',
  // more than any other group may have: it is always the first
  priority: { group: 20001, version: 1 },
  keyedByGroup: true,
  kinds: [apiService],
};
