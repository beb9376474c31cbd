// Cron jobs with `--simulate=workloads`, on a clock that a test sets forward.

import { expect, test } from 'vitest';
import { eventually, turns } from './eventually.ts';
import { inDefault, startWorkloads, template } from './workloads.ts';

const cronJobs = inDefault('batch', 'cronjobs');
const jobs = inDefault('batch', 'jobs');
const tick = `${cronJobs}/tick`;

type Started = Awaited<ReturnType<typeof startWorkloads>>;

const cronJob = (more: object = {}) => ({
  metadata: { name: 'tick' },
  spec: {
    schedule: '@hourly',
    jobTemplate: { metadata: { labels: { a: 'b' } }, spec: { template: template({}, { restartPolicy: 'Never' }) } },
    ...more,
  },
});

const jobNames = async (it: Started): Promise<string[]> =>
  (await it.api.get(jobs)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

const hourly = (hour: number): string => `tick-${Date.parse('2030-01-01T00:00:00Z') / 60_000 + hour * 60}`;

/** The clock goes on by an hour, and a little more. */
async function passHour(it: Started): Promise<void> {
  await turns();
  it.clock.advance(3_600_100);
}

async function finish(it: Started, phase: string): Promise<void> {
  const open = await eventually(async () => {
    const found = (await it.listPods()).filter(({ status }) => status['phase'] === 'Pending');
    expect(found).toHaveLength(1);
    return found;
  });
  for (const { metadata } of open) await it.report(metadata.name, { phase });
}

test('cron job: makes a job each hour, and remembers the last one', async () => {
  await using it = await startWorkloads();
  await it.create(cronJobs, cronJob());
  await turns();
  expect(await jobNames(it)).toEqual([]);
  await passHour(it);
  await it.settled(tick, {
    status: {
      lastScheduleTime: '2030-01-01T01:00:00Z',
      active: [{ kind: 'Job', name: hourly(1), apiVersion: 'batch/v1' }],
    },
  });
  await it.settled(`${jobs}/${hourly(1)}`, {
    metadata: {
      labels: { a: 'b' },
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2030-01-01T01:00:00Z' },
      ownerReferences: [{ kind: 'CronJob', name: 'tick', controller: true }],
    },
  });
  await finish(it, 'Succeeded');
  const done = await it.settled(tick, { status: { lastSuccessfulTime: '2030-01-01T01:00:00Z' } });
  expect(done.status.active).toBeUndefined();
  await eventually(async () =>
    expect((await it.eventsOf('CronJob')).sort()).toEqual([
      `SawCompletedJob Saw completed job: ${hourly(1)}, condition: Complete`,
      `SuccessfulCreate Created job ${hourly(1)}`,
    ]),
  );
});

test('cron job: keeps as many ended jobs as it says', async () => {
  await using it = await startWorkloads();
  await it.create(cronJobs, cronJob({ successfulJobsHistoryLimit: 1 }));
  for (const hour of [1, 2, 3]) {
    await passHour(it);
    await it.settled(`${jobs}/${hourly(hour)}`, { status: { active: 1 } });
    await finish(it, 'Succeeded');
    await it.settled(`${jobs}/${hourly(hour)}`, { status: { succeeded: 1 } });
  }
  await eventually(async () => expect(await jobNames(it)).toEqual([hourly(3)]));
});

test('cron job: starts no second job with Forbid, and instead of the first with Replace', async () => {
  await using it = await startWorkloads();
  await it.create(cronJobs, cronJob({ concurrencyPolicy: 'Forbid' }));
  await passHour(it);
  await it.settled(tick, { status: { active: [{ name: hourly(1) }] } });
  await passHour(it);
  await eventually(async () => expect((await it.eventsOf('CronJob')).join()).toContain('JobAlreadyActive'));
  expect(await jobNames(it)).toEqual([hourly(1)]);
  await it.api.patch('merge', tick, { spec: { concurrencyPolicy: 'Replace' } });
  await it.settled(tick, { status: { active: [{ name: hourly(2) }] } });
  await eventually(async () => expect(await jobNames(it)).toEqual([hourly(2)]));
});

test('cron job: makes none while it is suspended, and none of a time that is too long ago', async () => {
  await using it = await startWorkloads();
  await it.create(cronJobs, cronJob({ suspend: true, startingDeadlineSeconds: 60 }));
  await passHour(it);
  await turns();
  it.clock.advance(120_000);
  await it.api.patch('merge', tick, { spec: { suspend: false } });
  await turns();
  expect(await jobNames(it)).toEqual([]);
  it.clock.advance(58 * 60_000);
  await eventually(async () => expect(await jobNames(it)).toEqual([hourly(2)]));
});

test('cron job: follows its time zone', async () => {
  await using it = await startWorkloads();
  await it.create(cronJobs, cronJob({ schedule: '30 6 * * *', timeZone: 'Asia/Kolkata' }));
  await passHour(it);
  const [job] = await eventually(async () => {
    const { items } = (await it.api.get(jobs)).body;
    expect(items).toHaveLength(1);
    return items;
  });
  expect(job.metadata.annotations).toEqual({
    'batch.kubernetes.io/cronjob-scheduled-timestamp': '2030-01-01T06:30:00+05:30',
  });
});
