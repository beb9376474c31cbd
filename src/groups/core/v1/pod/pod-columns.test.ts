import { describe, expect, test } from 'vitest';
import { podRowConditions, summarize } from './pod-columns.ts';
import type { Pod } from './pod-type.ts';

const container = (name: string, state: object, more: object = {}) => ({
  name,
  ready: false,
  restartCount: 0,
  state,
  ...more,
});
const running = { running: { startedAt: '2031-01-01T00:00:00Z' } };
const ended = (reason: string) => ({ terminated: { exitCode: 0, reason } });
const pod = (status: object, spec: object = {}, metadata: object = {}) =>
  ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', ...metadata },
    spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec },
    status,
  }) as Pod;

describe('the word for a pod', () => {
  const init = { initContainers: [{ name: 'i' }, { name: 'j' }] };
  test.each<[string, Pod]>([
    ['Pending', pod({ phase: 'Pending' })],
    ['Evicted', pod({ phase: 'Failed', reason: 'Evicted' })],
    [
      'SchedulingGated',
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
    ],
    [
      'CrashLoopBackOff',
      pod({
        phase: 'Running',
        containerStatuses: [
          container('a', { waiting: { reason: 'CrashLoopBackOff' } }),
          container('b', running, { ready: true }),
        ],
      }),
    ],
    [
      'OOMKilled',
      pod({
        phase: 'Running',
        containerStatuses: [container('a', { terminated: { exitCode: 137, reason: 'OOMKilled' } })],
      }),
    ],
    ['ExitCode:3', pod({ phase: 'Running', containerStatuses: [container('a', { terminated: { exitCode: 3 } })] })],
    [
      'Signal:9',
      pod({ phase: 'Running', containerStatuses: [container('a', { terminated: { exitCode: 137, signal: 9 } })] }),
    ],
    ['Completed', pod({ phase: 'Succeeded', containerStatuses: [container('a', ended('Completed'))] })],
    [
      'NotReady',
      pod({
        phase: 'Running',
        containerStatuses: [container('a', ended('Completed')), container('b', running, { ready: true })],
      }),
    ],
    [
      'Running',
      pod({
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [container('a', ended('Completed')), container('b', running, { ready: true })],
      }),
    ],
    ['Init:0/2', pod({ phase: 'Pending', initContainerStatuses: [container('i', running)] }, init)],
    [
      'Init:1/2',
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [
            container('i', ended('Completed')),
            container('j', { waiting: { reason: 'PodInitializing' } }),
          ],
        },
        init,
      ),
    ],
    [
      'Init:ErrImagePull',
      pod({ phase: 'Pending', initContainerStatuses: [container('i', { waiting: { reason: 'ErrImagePull' } })] }, init),
    ],
    [
      'Init:ExitCode:1',
      pod({ phase: 'Pending', initContainerStatuses: [container('i', { terminated: { exitCode: 1 } })] }, init),
    ],
    ['Terminating', pod({ phase: 'Running' }, {}, { deletionTimestamp: '2031-01-01T00:00:00Z' })],
    ['Unknown', pod({ phase: 'Running', reason: 'NodeLost' }, {}, { deletionTimestamp: '2031-01-01T00:00:00Z' })],
    ['Succeeded', pod({ phase: 'Succeeded' }, {}, { deletionTimestamp: '2031-01-01T00:00:00Z' })],
  ])('%s', (word, given) => expect(summarize(given).reason).toBe(word));
});

test('counts what is ready, sidecars too, and restarts with the last of them', () => {
  const last = (finishedAt: string) => ({ restartCount: 2, lastState: { terminated: { finishedAt, exitCode: 1 } } });
  const given = pod(
    {
      phase: 'Running',
      initContainerStatuses: [
        container('once', ended('Completed'), { restartCount: 7 }),
        container('side', running, { ready: true, started: true, restartCount: 1 }),
      ],
      containerStatuses: [
        container('a', running, { ready: true, ...last('2031-01-01T00:00:05Z') }),
        container('b', running, last('2031-01-01T00:00:01Z')),
      ],
    },
    { initContainers: [{ name: 'once' }, { name: 'side', restartPolicy: 'Always' }] },
  );
  expect(summarize(given)).toEqual({
    ready: 2,
    total: 3,
    reason: 'Running',
    restarts: 5,
    lastRestart: '2031-01-01T00:00:05Z',
  });
});

test('a pod that is over says so for its whole row', () => {
  expect(podRowConditions(pod({ phase: 'Running' }))).toEqual([]);
  expect(podRowConditions(pod({ phase: 'Failed' }))).toEqual([
    { type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' },
  ]);
});
