import { expect, test } from 'vitest';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { compareForDeletion, isAvailable, untilAvailable } from './pods.ts';

const now = Date.parse('2030-01-01T01:00:00Z');
const costAnnotation = 'x/cost';

const pod = (name: string, { spec = {}, status = {}, metadata = {} }: Partial<Pod> = {}): Pod => ({
  ...{ kind: 'Pod', apiVersion: 'v1' },
  metadata: { name, uid: name, creationTimestamp: '2030-01-01T00:00:00Z', ...metadata },
  ...{ spec: { nodeName: 'n', ...spec }, status: { phase: 'Running', ...status } },
});

const ready = (since: string) => ({ conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] });
const restarted = (restartCount: number) => ({ containerStatuses: [{ restartCount }] });

test.each([
  ['has no node', pod('a', { spec: { nodeName: '' } }), pod('b', { status: { phase: 'Pending' } })],
  ['is pending', pod('a', { status: { phase: 'Pending' } }), pod('b')],
  ['is not ready', pod('a'), pod('b', { status: ready('2030-01-01T00:30:00Z') })],
  ['costs less', pod('a', { metadata: { annotations: { [costAnnotation]: '-1' } } }), pod('b')],
  ['shares its node with more', pod('a', { spec: { nodeName: 'full' } }), pod('b')],
  [
    'became ready later',
    pod('a', { status: ready('2030-01-01T00:59:00Z') }),
    pod('b', { status: ready('2030-01-01T00:00:00Z') }),
  ],
  ['was restarted more often', pod('a', { status: restarted(2) }), pod('b', { status: restarted(1) })],
  ['is younger', pod('a', { metadata: { creationTimestamp: '2030-01-01T00:59:00Z' } }), pod('b')],
])('of two pods the one goes first that %s', (_, first, second) => {
  const order = { podsOnNode: new Map([['full', 3]]), costAnnotation, now };
  expect(compareForDeletion(first, second, order)).toBeLessThan(0);
  expect(compareForDeletion(second, first, order)).toBeGreaterThan(0);
});

test('a pod is available some time after it became ready, and the next look comes then', () => {
  const it = pod('a', { status: ready('2030-01-01T00:59:50Z') });
  expect([isAvailable(it, 0, now), isAvailable(it, 10, now), isAvailable(it, 11, now)]).toEqual([true, true, false]);
  expect(untilAvailable([it, pod('b')], 30, now)).toBe(20_000);
  expect(untilAvailable([it], 0, now)).toBeUndefined();
});
