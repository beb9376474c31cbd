// The batch group, v1beta1: no longer served unless an option asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { cronJob } from '../v1/cron-job.ts';

const home = 'batch/v1beta1';

export const batchV1beta1: GroupVersionSpec = {
  group: 'batch',
  version: 'v1beta1',
  priority: { group: 17400, version: 1 },
  offByDefault: true,
  kinds: [
    sameShape(cronJob, home, {
      since: 21,
      removed: 25,
      replacement: { group: 'batch', version: 'v1', kind: 'CronJob' },
    }),
  ],
};
