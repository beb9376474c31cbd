// Jobs with `--simulate=workloads`: completions, indexes, failures, suspension, deadlines and policies.

import { expect, test } from 'vitest';
import { eventually, turns } from './eventually.ts';
import { inDefault, pods, startWorkloads, template } from './workloads.ts';

const jobs = inDefault('batch', 'jobs');
const work = `${jobs}/work`;

type Started = Awaited<ReturnType<typeof startWorkloads>>;

const job = (more: object = {}) => ({
  metadata: { name: 'work' },
  spec: { template: template({}, { restartPolicy: 'Never' }), ...more },
});

const isOpen = ({ metadata, status }: { metadata: { deletionTimestamp?: string }; status: object }) =>
  metadata.deletionTimestamp === undefined && (status as { phase?: string }).phase === 'Pending';

const openPods = async (it: Started) => (await it.listPods()).filter(isOpen);

const openCount = (it: Started, count: number) =>
  eventually(async () => {
    const found = await openPods(it);
    expect(found).toHaveLength(count);
    return found;
  });

const conditionsOf = async (it: Started): Promise<string[]> =>
  ((await it.api.get(work)).body.status.conditions ?? [])
    .filter(({ status }: { status: string }) => status === 'True')
    .map(({ type, reason }: { type: string; reason: string }) => `${type} ${reason}`);

const end = (it: Started, name: string, phase: string, exitCode = 0) =>
  it.report(name, {
    phase,
    containerStatuses: [
      {
        ...{ name: 'c', image: 'i', imageID: '', ready: false, restartCount: 0 },
        state: { terminated: { exitCode, finishedAt: new Date(it.clock.now()).toISOString().replace('.000', '') } },
      },
    ],
  });

test('job: runs so many pods at a time until enough have succeeded', async () => {
  await using it = await startWorkloads();
  await it.create(jobs, job({ completions: 3, parallelism: 2 }));
  const first = await openCount(it, 2);
  expect(first[0]?.metadata).toMatchObject({
    labels: { 'batch.kubernetes.io/job-name': 'work' },
    finalizers: ['batch.kubernetes.io/job-tracking'],
    ownerReferences: [{ kind: 'Job', name: 'work', controller: true }],
  });
  await it.settled(work, { status: { active: 2, ready: 0, terminating: 0, startTime: '2030-01-01T00:00:00Z' } });
  for (const { metadata } of first) await end(it, metadata.name, 'Succeeded');
  const [last] = await openCount(it, 1);
  await it.settled(work, { status: { active: 1, succeeded: 2, uncountedTerminatedPods: {} } });
  await end(it, last?.metadata.name ?? '', 'Succeeded');
  const done = await it.settled(work, { status: { succeeded: 3, completionTime: '2030-01-01T00:00:00Z' } });
  expect(done.status.active).toBeUndefined();
  expect(await conditionsOf(it)).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
  for (const { metadata } of await it.listPods()) expect(metadata.finalizers).toBeUndefined();
  await eventually(async () => expect(await it.eventsOf('Job')).toContain('Completed Job completed'));
  expect((await it.eventsOf('Job')).filter((event) => event.startsWith('SuccessfulCreate'))).toHaveLength(3);
});

test('job: gives each pod of an indexed job its index, and lists those that succeeded', async () => {
  await using it = await startWorkloads();
  await it.create(jobs, job({ completions: 4, parallelism: 4, completionMode: 'Indexed' }));
  const all = await openCount(it, 4);
  const byIndex = new Map(
    all.map(({ metadata, spec }) => [
      metadata.annotations?.['batch.kubernetes.io/job-completion-index'],
      { metadata, spec },
    ]),
  );
  expect([...byIndex.keys()].sort()).toEqual(['0', '1', '2', '3']);
  const second = byIndex.get('1');
  expect(second?.metadata.name).toMatch(/^work-1-\w{5}$/);
  expect(second?.spec).toMatchObject({
    hostname: 'work-1',
    containers: [{ env: [{ name: 'JOB_COMPLETION_INDEX' }] }],
  });
  for (const index of ['0', '2', '3']) await end(it, byIndex.get(index)?.metadata.name ?? '', 'Succeeded');
  await it.settled(work, { status: { succeeded: 3, completedIndexes: '0,2,3', active: 1 } });
  await end(it, second?.metadata.name ?? '', 'Failed', 1);
  await it.settled(work, { status: { failed: 1 } });
  await turns();
  it.clock.advance(10_000);
  const [again] = await openCount(it, 1);
  expect(again?.metadata.annotations?.['batch.kubernetes.io/job-completion-index']).toBe('1');
  await end(it, again?.metadata.name ?? '', 'Succeeded');
  await it.settled(work, { status: { succeeded: 4, failed: 1, completedIndexes: '0-3' } });
});

test('job: replaces failed pods after a growing pause, and fails at its limit', async () => {
  await using it = await startWorkloads();
  await it.create(jobs, job({ backoffLimit: 2 }));
  for (const pause of [10_000, 20_000]) {
    const [pod] = await openCount(it, 1);
    await end(it, pod?.metadata.name ?? '', 'Failed', 1);
    await turns();
    it.clock.advance(pause - 1000);
    await turns();
    expect(await openPods(it)).toEqual([]);
    it.clock.advance(1000);
  }
  const [last] = await openCount(it, 1);
  await end(it, last?.metadata.name ?? '', 'Failed', 1);
  await it.settled(work, { status: { failed: 3 } });
  await eventually(async () =>
    expect(await conditionsOf(it)).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']),
  );
  await eventually(async () =>
    expect(await it.eventsOf('Job')).toContain('BackoffLimitExceeded Job has reached the specified backoff limit'),
  );
});

test('job: has no pods while it is suspended', async () => {
  await using it = await startWorkloads();
  await it.create(jobs, job({ suspend: true, completions: 2, parallelism: 2 }));
  await eventually(async () => expect(await conditionsOf(it)).toEqual(['Suspended JobSuspended']));
  expect((await it.api.get(work)).body.status.startTime).toBeUndefined();
  expect(await it.listPods()).toEqual([]);
  it.clock.advance(5000);
  await it.api.patch('merge', work, { spec: { suspend: false } });
  await openCount(it, 2);
  await it.settled(work, { status: { active: 2, startTime: '2030-01-01T00:00:05Z' } });
  await it.api.patch('merge', work, { spec: { suspend: true } });
  await it.podCount(0);
  const suspended = await it.settled(work, { status: { ready: 0 } });
  expect([suspended.status.failed, suspended.status.active]).toEqual([undefined, undefined]);
  await eventually(async () =>
    expect(await it.eventsOf('Job')).toEqual(
      expect.arrayContaining(['Suspended Job suspended', 'Resumed Job resumed']),
    ),
  );
});

test('job: fails at its deadline, and its pods are deleted', async () => {
  await using it = await startWorkloads();
  await it.create(jobs, job({ activeDeadlineSeconds: 60 }));
  await openCount(it, 1);
  await turns();
  it.clock.advance(60_000);
  await eventually(async () =>
    expect(await conditionsOf(it)).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']),
  );
  await it.podCount(0);
});

test('job: ends and ignores failures as its policy says', async () => {
  await using it = await startWorkloads();
  const onExitCodes = (action: string, values: number[]) => ({ action, onExitCodes: { operator: 'In', values } });
  const podFailurePolicy = { rules: [onExitCodes('Ignore', [3]), onExitCodes('FailJob', [42])] };
  await it.create(jobs, job({ backoffLimit: 0, podFailurePolicy }));
  const [first] = await openCount(it, 1);
  await end(it, first?.metadata.name ?? '', 'Failed', 3);
  await turns();
  it.clock.advance(10_000);
  const [second] = await openCount(it, 1);
  expect((await it.api.get(work)).body.status.failed).toBeUndefined();
  const name = second?.metadata.name ?? '';
  await end(it, name, 'Failed', 42);
  await eventually(async () =>
    expect(await conditionsOf(it)).toEqual(['FailureTarget PodFailurePolicy', 'Failed PodFailurePolicy']),
  );
  const { conditions } = (await it.api.get(work)).body.status;
  expect(conditions.at(-1).message).toBe(
    `Container c for pod default/${name} failed with exit code 42 matching FailJob rule at index 1`,
  );
});

test('job: is complete when its success policy is met', async () => {
  await using it = await startWorkloads();
  const successPolicy = { rules: [{ succeededIndexes: '0' }] };
  await it.create(jobs, job({ completions: 3, parallelism: 3, completionMode: 'Indexed', successPolicy }));
  const all = await openCount(it, 3);
  const leader = all.find(({ metadata }) => metadata.name.startsWith('work-0-'));
  await end(it, leader?.metadata.name ?? '', 'Succeeded');
  await eventually(async () =>
    expect(await conditionsOf(it)).toEqual(['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy']),
  );
  await it.podCount(1);
  await it.settled(work, { status: { succeeded: 1, completedIndexes: '0' } });
});

test('job: counts failures of each index where they are limited apart', async () => {
  await using it = await startWorkloads();
  await it.create(jobs, job({ completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 0 }));
  const [first, second] = await openCount(it, 2);
  await end(it, first?.metadata.name ?? '', 'Failed', 1);
  const index = first?.metadata.annotations?.['batch.kubernetes.io/job-completion-index'] ?? '';
  await it.settled(work, { status: { failed: 1, failedIndexes: index, active: 1 } });
  await end(it, second?.metadata.name ?? '', 'Succeeded');
  await eventually(async () =>
    expect(await conditionsOf(it)).toEqual(['FailureTarget FailedIndexes', 'Failed FailedIndexes']),
  );
});

test('job: its pods go with it, and it goes some time after its end', async () => {
  await using it = await startWorkloads();
  await it.create(jobs, job({ ttlSecondsAfterFinished: 30 }));
  const [pod] = await openCount(it, 1);
  await end(it, pod?.metadata.name ?? '', 'Succeeded');
  await eventually(async () => expect(await conditionsOf(it)).toContain('Complete CompletionsReached'));
  await turns();
  it.clock.advance(30_000);
  await eventually(async () => expect((await it.api.get(work)).status).toBe(404));
  await it.podCount(0);
  await it.create(jobs, job());
  await openCount(it, 1);
  await it.api.delete(work, { propagationPolicy: 'Background' });
  await it.podCount(0);
  expect((await it.api.get(`${pods}/none`)).status).toBe(404);
});
