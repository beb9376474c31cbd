import { describe, expect, test } from 'vitest';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatTime } from '../../meta/time.ts';
import {
  type PodValue,
  replicasOfAverage,
  replicasOfShare,
  replicasOfTotal,
  replicasOfUtilization,
} from './replicas.ts';

const now = Date.parse('2030-01-01T01:00:00Z');
const minute = 60_000;
const tolerances = { up: 0.1, down: 0.1 };

interface PodState {
  readonly phase?: string;
  readonly ready?: boolean;
  readonly startedMs?: number;
  readonly readyMs?: number;
  readonly isDeleted?: boolean;
}

/** A pod that has been ready for half an hour, unless it is described otherwise. */
function podOf(index: number, state: PodState = {}): Pod {
  const { phase = 'Running', ready = true, startedMs = 30 * minute, readyMs = startedMs, isDeleted } = state;
  const [startTime, lastTransitionTime] = [formatTime(now - startedMs), formatTime(now - readyMs)];
  return {
    metadata: { name: `pod-${index}`, ...(isDeleted ? { deletionTimestamp: formatTime(now) } : {}) },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
    status: { phase, startTime, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime }] },
  } as unknown as Pod;
}

const input = (values: readonly (number | undefined)[], states: readonly PodState[] = []) => ({
  pods: values.map((_, index) => podOf(index, states[index])),
  values: new Map(
    values.flatMap((value, index): [string, PodValue][] =>
      value === undefined ? [] : [[`pod-${index}`, { value, time: now, windowMs: minute }]],
    ),
  ),
  currentReplicas: values.length,
  tolerances,
  now,
});

describe('replicas of a utilization', () => {
  const unready = { ready: false, startedMs: minute };
  test.each<[string, readonly (number | undefined)[], readonly PodState[], number, number]>([
    ['more, where pods use more', [300, 500, 700], [], 30, 5],
    ['the same within the tolerance', [1010, 1030, 1020], [], 100, 3],
    ['fewer, where pods use less', [100, 300, 500, 250, 250], [], 50, 3],
    ['pods that start count as idle where more are needed', [300, 500, 700], [unready], 30, 4],
    [
      'pods that are pending count as idle where more are needed',
      [300, 500, 700],
      [{}, {}, { phase: 'Pending' }],
      30,
      3,
    ],
    ['pods without a value count as idle where more are needed', [950, undefined], [], 60, 2],
    ['pods without a value count as busy where fewer are needed', [400, undefined, 200], [], 100, 2],
    [
      'pods that failed or are deleted do not count',
      [400, 900, 900],
      [{}, { phase: 'Failed' }, { isDeleted: true }],
      50,
      1,
    ],
    [
      'what a pod used before it was ready does not count',
      [300, 900],
      [{}, { startedMs: minute, readyMs: 1000 }],
      30,
      2,
    ],
  ])('%s', (_, values, states, target, replicas) => {
    const proposal = replicasOfUtilization({ ...input(values, states), resource: 'cpu', container: '' }, target);
    expect(proposal.replicas).toBe(replicas);
  });

  test.each<[string, object, string]>([
    ['no pod', { pods: [] }, 'no pods returned by selector while calculating replica count'],
    ['no value', { values: new Map() }, 'did not receive metrics for targeted pods (pods might be unready)'],
    ['no such container', { container: 'x' }, 'container x not found in Pod pod-0'],
    ['no request', { resource: 'memory' }, 'missing request for memory in container c of Pod pod-0'],
  ])('%s is an error', (_, change, message) => {
    const whole = { ...input([100]), resource: 'cpu', container: '', ...change };
    expect(() => replicasOfUtilization(whole, 50)).toThrow(message);
  });
});

test('replicas of an average: from what each pod has', () => {
  expect(replicasOfAverage(input([20_000, 10_000, 30_000]), 15_000)).toEqual({ replicas: 4, usage: 20_000 });
  expect(replicasOfAverage(input([12_000, 12_000, 12_000]), 20_000)).toEqual({ replicas: 2, usage: 12_000 });
});

test('replicas of a total: as many times more as the value is above its target', () => {
  const pods = input([0, 0, 0]).pods;
  expect(replicasOfTotal({ pods, tolerances, currentReplicas: 3, usage: 20_000 }, 15_000).replicas).toBe(4);
  expect(replicasOfTotal({ pods, tolerances, currentReplicas: 3, usage: 15_500 }, 15_000).replicas).toBe(3);
  expect(replicasOfTotal({ pods: [], tolerances, currentReplicas: 0, usage: 8600 }, 5000).replicas).toBe(2);
});

test('replicas of a share: one for each part of the value', () => {
  const share = (usage: number) => replicasOfShare({ tolerances, currentReplicas: 4, usage }, 2000);
  expect(share(12_000)).toEqual({ replicas: 6, usage: 3000 });
  expect(share(8100)).toEqual({ replicas: 4, usage: 2025 });
});
