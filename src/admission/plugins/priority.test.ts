// Where the priority of a pod comes from.

import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../meta/dialect.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { defaultGates, lookupOf, requestFor } from '../testing.ts';
import { priority } from './priority.ts';

const pods = { group: '', plural: 'pods' } as ResourceDefinition;
const classes = { group: 'scheduling.k8s.io', plural: 'priorityclasses' } as ResourceDefinition;
const classOf = (name: string, value: number, more: object = {}): ApiObject => ({
  ...{ kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1', metadata: { name }, value },
  ...{ preemptionPolicy: 'PreemptLowerPriority', ...more },
});
const pluginWith = (...priorityclasses: ApiObject[]) =>
  priority({ dialect: kubernetes, objects: lookupOf({ priorityclasses }), gates });
const gates = { ...defaultGates, WorkloadAwarePreemption: true };
const pod = (spec: object): ApiObject => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' }, spec });
const high = classOf('high', 1000, { preemptionPolicy: 'Never' });

describe('a new pod', () => {
  const admit = (spec: object, ...all: ApiObject[]) =>
    pluginWith(...all).mutate?.(requestFor({ definition: pods, object: pod(spec) })) as { spec?: object };

  test.each([
    ['no class', {}, [], { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [
      'its class',
      { priorityClassName: 'high' },
      [high],
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' },
    ],
    [
      'the lowest class for all',
      {},
      [classOf('b', 9, { globalDefault: true }), classOf('a', 7, { globalDefault: true })],
      { priorityClassName: 'a', priority: 7, preemptionPolicy: 'PreemptLowerPriority' },
    ],
    [
      'what it says itself, if that is right',
      { priorityClassName: 'high', priority: 1000 },
      [high],
      { priorityClassName: 'high', priority: 1000, preemptionPolicy: 'Never' },
    ],
  ])('gets the priority of %s', (_, spec, all, expected) => {
    expect(admit(spec, ...all).spec).toEqual(expected);
  });

  test.each([
    [{ priorityClassName: 'none' }, 'pods "p" is forbidden: no PriorityClass with name none was found'],
    [
      { priorityClassName: 'high', priority: 5 },
      'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000',
    ],
    [
      { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
      'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec',
    ],
  ])('is refused: %j', (spec, why) => {
    expect(() => admit(spec, high)).toThrow(why);
  });
});

test('an update may leave out what was filled in', () => {
  const old = pod({ priority: 7, preemptionPolicy: 'Never' });
  const request = requestFor({ definition: pods, operation: 'UPDATE', object: pod({ nodeName: 'x' }), oldObject: old });
  expect(pluginWith().mutate?.(request)).toEqual(pod({ nodeName: 'x', priority: 7, preemptionPolicy: 'Never' }));
});

describe('a new group of pods', () => {
  const groups = { group: 'scheduling.k8s.io', plural: 'podgroups' } as ResourceDefinition;
  const group = (spec: object): ApiObject => ({
    ...pod(spec),
    kind: 'PodGroup',
    apiVersion: 'scheduling.k8s.io/v1alpha2',
  });
  const admit = (spec: object, ...all: ApiObject[]) =>
    pluginWith(...all).mutate?.(requestFor({ definition: groups, object: group(spec) })) as { spec?: object };
  const forAll = classOf('usual', 7, { globalDefault: true });

  test.each([
    ['no class', {}, [], { priority: 0 }],
    ['its class', { priorityClassName: 'high' }, [high, forAll], { priorityClassName: 'high', priority: 1000 }],
    ['the class for all', {}, [high, forAll], { priorityClassName: 'usual', priority: 7 }],
    [
      'what it says itself, if that is right',
      { priorityClassName: 'high', priority: 1000 },
      [high],
      { priorityClassName: 'high', priority: 1000 },
    ],
  ])('gets the priority of %s, and no way to preempt', (_, spec, all, expected) => {
    expect(admit(spec, ...all).spec).toEqual(expected);
  });

  test.each([
    [
      { priorityClassName: 'none' },
      'podgroups.scheduling.k8s.io "p" is forbidden: no PriorityClass with name none was found',
    ],
    [
      { priorityClassName: 'high', priority: 5 },
      'priority set in the pod group (5) must match the priority computed (1000) based on the priority class set in the spec',
    ],
    [
      { priority: 5 },
      'priority set in the pod group (5) must match the priority computed (0) based on the priority class set in the spec',
    ],
  ])('is refused: %j', (spec, why) => {
    expect(() => admit(spec, high)).toThrow(why);
  });

  test('is left alone later, and where the gate is off', () => {
    const object = group({ priorityClassName: 'none' });
    const update = requestFor({ definition: groups, operation: 'UPDATE', object, oldObject: object });
    expect(pluginWith().mutate?.(update)).toBe(object);
    const off = priority({ dialect: kubernetes, objects: lookupOf({}), gates: defaultGates });
    expect(off.covers(groups, '', 'CREATE')).toBe(false);
    expect(pluginWith().covers(groups, '', 'CREATE')).toBe(true);
  });
});

test('there is one class for all', () => {
  const first = classOf('first', 1, { globalDefault: true });
  const plugin = pluginWith(first);
  const second = { definition: classes, object: classOf('second', 2, { globalDefault: true }) };
  expect(() => plugin.validate?.(requestFor(second))).toThrow(
    'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass first is already marked as default. Only one default can exist',
  );
  const update = requestFor({ definition: classes, operation: 'UPDATE', object: first, oldObject: first });
  expect(() => plugin.validate?.(update)).not.toThrow();
});
