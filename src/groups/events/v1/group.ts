// The events group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { event } from './event.ts';

export const eventsV1: GroupVersionSpec = {
  group: 'events',
  version: 'v1',
  priority: { group: 17750, version: 15 },
  kinds: [event],
};
