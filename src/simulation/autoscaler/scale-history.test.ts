import { expect, test } from 'vitest';
import { type Behavior, ScaleHistory, type ScaleRequest } from './scale-history.ts';

const second = 1000;
const request = (change: Partial<ScaleRequest>): ScaleRequest => ({
  ...{ current: 10, desired: 10, min: 1, max: 100, behavior: undefined, now: 0 },
  ...change,
});

const pods = (value: number, periodSeconds = 60) => ({ type: 'Pods', value, periodSeconds });
const percent = (value: number, periodSeconds = 60) => ({ type: 'Percent', value, periodSeconds });
const open = { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [percent(100)] };

test.each<[string, Partial<ScaleRequest>, number, string]>([
  ['as many as desired', { desired: 12 }, 12, 'DesiredWithinRange'],
  ['at most twice as many', { desired: 30 }, 20, 'ScaleUpLimit'],
  ['four are always allowed', { current: 1, desired: 9 }, 4, 'ScaleUpLimit'],
  ['at most the maximum', { desired: 30, max: 15 }, 15, 'TooManyReplicas'],
  ['at least the minimum', { current: 3, desired: 0, min: 2 }, 3, 'DesiredWithinRange'],
])('without rules: %s', (_, change, replicas, reason) => {
  const history = new ScaleHistory(change.current ?? 10, 0);
  const decision = history.decide(request(change));
  expect([decision.replicas, decision.limited[1]]).toEqual([replicas, reason]);
});

test('without rules: the highest recommendation of five minutes is used', () => {
  const history = new ScaleHistory(5, 0);
  const decide = (desired: number, now: number) =>
    history.decide(request({ current: 8, desired, now: now * second })).replicas;
  expect([decide(8, 0), decide(3, 100), decide(3, 300), decide(2, 301), decide(2, 602)]).toEqual([8, 8, 8, 3, 2]);
});

const ruled = (
  behavior: Behavior,
  change: Partial<ScaleRequest>,
  changes: readonly [number, number, number][] = [],
) => {
  const history = new ScaleHistory(change.current ?? 10, -3600 * second);
  for (const [current, desired, at] of changes) history.note({ current, desired, behavior, now: at * second });
  const { replicas, limited } = history.decide(request({ behavior, ...change }));
  return [replicas, limited[1]];
};

test('rules: the largest change that a policy allows, or the smallest', () => {
  const policies = [pods(4), percent(50)];
  const both = (selectPolicy: string): Behavior => ({
    scaleUp: { ...open, policies, selectPolicy },
    scaleDown: { ...open, policies, selectPolicy },
  });
  expect(ruled(both('Max'), { desired: 50 })).toEqual([15, 'ScaleUpLimit']);
  expect(ruled(both('Min'), { desired: 50 })).toEqual([14, 'ScaleUpLimit']);
  expect(ruled(both('Disabled'), { desired: 50 })).toEqual([10, 'ScaleUpLimit']);
  expect(ruled(both('Max'), { desired: 1 })).toEqual([5, 'ScaleDownLimit']);
  expect(ruled(both('Min'), { desired: 1 })).toEqual([6, 'ScaleDownLimit']);
  expect(ruled(both('Disabled'), { desired: 1 })).toEqual([10, 'ScaleDownLimit']);
});

test('rules: changes of the period count', () => {
  const behavior = { scaleUp: { ...open, policies: [pods(4)] }, scaleDown: { ...open, policies: [pods(4)] } };
  expect(ruled(behavior, { desired: 50 }, [[7, 10, -30]])).toEqual([11, 'ScaleUpLimit']);
  expect(ruled(behavior, { desired: 50 }, [[7, 10, -61]])).toEqual([14, 'ScaleUpLimit']);
  expect(ruled(behavior, { desired: 1 }, [[12, 10, -30]])).toEqual([8, 'ScaleDownLimit']);
});

test('rules: windows of both directions hold recommendations', () => {
  const behavior: Behavior = {
    scaleUp: { ...open, stabilizationWindowSeconds: 60 },
    scaleDown: { ...open, stabilizationWindowSeconds: 120 },
  };
  const history = new ScaleHistory(10, -3600 * second);
  const decide = (desired: number, at: number) => {
    const { replicas, able } = history.decide(request({ desired, behavior, now: at * second }));
    return [replicas, able[0]];
  };
  expect(decide(10, 0)).toEqual([10, 'ReadyForNewScale']);
  expect(decide(15, 30)).toEqual([10, 'ScaleUpStabilized']);
  expect(decide(14, 61)).toEqual([14, 'ReadyForNewScale']);
  expect(decide(5, 90)).toEqual([10, 'ScaleDownStabilized']);
  expect(decide(5, 211)).toEqual([5, 'ReadyForNewScale']);
});
