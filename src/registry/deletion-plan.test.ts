import { describe, expect, test } from 'vitest';
import { pod } from '../groups/core/v1/pod/pod.ts';
import type { DeleteOptions } from '../groups/meta/v1/types.ts';
import { cluster, kubernetes } from '../meta/dialect.ts';
import type { ApiObject, ObjectMeta } from '../meta/object.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { Strategy } from '../schema/strategy.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type Deletable, planDeletion, removesItself } from './deletion-plan.ts';

const now = '2030-01-01T00:00:00Z';
const context = { dialect: kubernetes, clock: new FakeClock(now) };

function kindWith(strategy: Strategy = {}, dependents?: 'orphaned' | 'ignored'): Deletable {
  return { definition: { deletion: { dependents } } as ResourceDefinition, strategy, context };
}
const plain = kindWith();
const pods = kindWith(pod.strategy);

function object(metadata: ObjectMeta, rest: object = {}): ApiObject {
  return { kind: 'X', apiVersion: 'v1', metadata, ...rest };
}
const running = (metadata: ObjectMeta = {}, seconds = 30) =>
  object(metadata, { spec: { nodeName: 'n', terminationGracePeriodSeconds: seconds }, status: { phase: 'Running' } });

describe('a kind without grace', () => {
  test('goes at once when nothing holds it', () => {
    expect(planDeletion(plain, object({}), { gracePeriodSeconds: 30 })).toEqual({ does: 'remove' });
  });

  test('is marked when a finalizer holds it, and its generation grows', () => {
    const plan = planDeletion(plain, object({ generation: 3, finalizers: ['a/b'] }), {});
    const metadata = { generation: 4, finalizers: ['a/b'], deletionTimestamp: now, deletionGracePeriodSeconds: 0 };
    expect(plan).toEqual({ does: 'keep', object: object(metadata) });
  });

  test('is left alone by a second delete', () => {
    const marked = object({ finalizers: ['a/b'], deletionTimestamp: now, deletionGracePeriodSeconds: 0 });
    expect(planDeletion(plain, marked, {})).toEqual({ does: 'nothing' });
  });

  test('may be told by a second delete what becomes of dependents', () => {
    const marked = object({ finalizers: ['a/b'], deletionTimestamp: now, deletionGracePeriodSeconds: 0 });
    const plan = planDeletion(plain, marked, { propagationPolicy: 'Orphan' });
    expect(plan).toMatchObject({ does: 'keep', object: { metadata: { finalizers: ['a/b', 'orphan'] } } });
  });
});

test('finalizers are looked at a few times, however many there are', () => {
  let reads = 0;
  const finalizers = Array.from({ length: 1000 }, (_, index) => `example.com/f${index}`);
  const counted = new Proxy(finalizers, {
    get(target, key, receiver) {
      reads++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  expect(planDeletion(plain, object({ finalizers: counted }), {})).toMatchObject({
    does: 'keep',
    object: { metadata: { finalizers } },
  });
  expect(reads).toBeLessThan(10_000);
});

describe('the finalizer for dependents', () => {
  const cases: [DeleteOptions, string[] | undefined, 'orphaned' | 'ignored' | undefined, string[] | undefined][] = [
    [{}, undefined, undefined, undefined],
    [{ propagationPolicy: 'Foreground' }, undefined, undefined, ['foregroundDeletion']],
    [{ propagationPolicy: 'Orphan' }, undefined, undefined, ['orphan']],
    [{ propagationPolicy: 'Background' }, undefined, 'orphaned', undefined],
    [{ orphanDependents: true }, undefined, undefined, ['orphan']],
    [{ orphanDependents: false }, undefined, 'orphaned', undefined],
    [{}, undefined, 'orphaned', ['orphan']],
    [{}, ['foregroundDeletion'], 'orphaned', ['foregroundDeletion']],
    [{ propagationPolicy: 'Orphan' }, ['foregroundDeletion', 'a/b'], undefined, ['a/b', 'orphan']],
    [{ propagationPolicy: 'Background' }, ['foregroundDeletion'], undefined, undefined],
    [{ propagationPolicy: 'Foreground' }, undefined, 'ignored', undefined],
  ];
  test.each(cases)('%j on %j of a kind whose dependents are %s gives %j', (options, finalizers, dependents, result) => {
    const plan = planDeletion(kindWith({}, dependents), object(finalizers ? { finalizers } : {}), options);
    if (result === undefined) expect(plan).toEqual({ does: 'remove' });
    else expect(plan).toMatchObject({ does: 'keep', object: { metadata: { finalizers: result } } });
  });
});

describe('a pod', () => {
  const graceOf = (old: ApiObject, options: DeleteOptions) => {
    const plan = planDeletion(pods, old, options);
    const { metadata } = (plan.does === 'keep' ? plan.object : plan.does === 'remove' ? plan.last : undefined) ?? {};
    return [plan.does, metadata?.deletionGracePeriodSeconds, metadata?.deletionTimestamp];
  };

  test.each<[string, ApiObject, DeleteOptions, unknown[]]>([
    ['has the time its spec gives', running({}, 7), {}, ['keep', 7, '2030-01-01T00:00:07Z']],
    ['has the time the request gives', running(), { gracePeriodSeconds: 3 }, ['keep', 3, '2030-01-01T00:00:03Z']],
    [
      'has a second when less than none is given',
      running(),
      { gracePeriodSeconds: -5 },
      ['keep', 1, '2030-01-01T00:00:01Z'],
    ],
    ['goes at once with zero', running(), { gracePeriodSeconds: 0 }, ['remove', 0, now]],
    ['goes at once without a node', object({}, { spec: {} }), { gracePeriodSeconds: 9 }, ['remove', 0, now]],
    [
      'goes at once when it is over',
      object({}, { spec: { nodeName: 'n' }, status: { phase: 'Failed' } }),
      {},
      ['remove', 0, now],
    ],
    ['stays while a finalizer holds it', running({ finalizers: ['a/b'] }), { gracePeriodSeconds: 0 }, ['keep', 0, now]],
  ])('%s', (_, old, options, expected) => {
    expect(graceOf(old, options)).toEqual(expected);
  });

  test('may get less time from a second delete, not more', () => {
    const ending = running({ deletionTimestamp: '2030-01-01T00:00:20Z', deletionGracePeriodSeconds: 30 });
    expect(graceOf(ending, { gracePeriodSeconds: 15 })).toEqual(['keep', 15, '2030-01-01T00:00:05Z']);
    expect(graceOf(ending, { gracePeriodSeconds: 60 })).toEqual(['nothing', undefined, undefined]);
    expect(graceOf(ending, {})).toEqual(['nothing', undefined, undefined]);
    expect(graceOf(ending, { gracePeriodSeconds: 0 })[0]).toBe('remove');
  });

  test('outlives its last finalizer while it has time left', () => {
    const timed = { deletionTimestamp: '2030-01-01T00:00:20Z', deletionGracePeriodSeconds: 30 };
    expect(removesItself(pods, running(timed))).toBe(false);
    expect(removesItself(pods, running({ ...timed, deletionGracePeriodSeconds: 0 }))).toBe(true);
  });
});

test('in the cluster dialect the time of an object with a grace period is that of the first delete', () => {
  const kind = { ...pods, context: { ...context, dialect: cluster() } };
  const first = planDeletion(kind, running(), {}) as { object: ApiObject };
  const marked = { deletionTimestamp: now, deletionGracePeriodSeconds: 30 };
  expect(first.object.metadata).toMatchObject(marked);
  const later = { ...kind, context: { ...kind.context, clock: new FakeClock('2030-01-01T00:00:10Z') } };
  const second = planDeletion(later, running(marked), { gracePeriodSeconds: 5 }) as { object: ApiObject };
  expect(second.object.metadata).toMatchObject({ deletionTimestamp: now, deletionGracePeriodSeconds: 5 });
});
