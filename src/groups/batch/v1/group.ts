// The batch group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { cronJob } from './cron-job.ts';
import { job } from './job.ts';

export const batchV1: GroupVersionSpec = {
  group: 'batch',
  version: 'v1',
  priority: { group: 17400, version: 15 },
  kinds: [cronJob, job],
};
