import { expect, test } from 'vitest';
import { endOfJob } from './finished-jobs.ts';

const at = '2030-01-01T00:00:00Z';
const condition = (type: string, status = 'True') => ({ type, status, lastTransitionTime: at });

test.each([
  ['completed', 60, [condition('SuccessCriteriaMet'), condition('Complete')], 60],
  ['failed', 60, [condition('Failed')], 60],
  ['is not kept at all', 0, [condition('Complete')], 0],
  ['is kept for ever', undefined, [condition('Complete')], undefined],
  ['is not over', 60, [condition('Suspended'), condition('Complete', 'False')], undefined],
  ['has only met its criteria', 60, [condition('SuccessCriteriaMet')], undefined],
])('a job that %s', (_, ttl, conditions, seconds) => {
  const spec = ttl === undefined ? {} : { ttlSecondsAfterFinished: ttl };
  const job = { kind: 'Job', apiVersion: 'batch/v1', metadata: {}, spec, status: { conditions } };
  expect(endOfJob(job)).toBe(seconds === undefined ? undefined : Date.parse(at) + seconds * 1000);
});
