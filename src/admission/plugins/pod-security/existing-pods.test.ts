// Which pods of a namespace are looked at when it asks for more, and for how long.

import { expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { ResourceDefinition } from '../../../schema/resource.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import type { Lookup } from '../../lookup.ts';
import { defaultSettings } from '../../plugin-settings.ts';
import { lookupOf, requestFor } from '../../testing.ts';
import { podSecurity } from './pod-security.ts';

const enforce = 'pod-security.kubernetes.io/enforce';
const definition = { group: '', plural: 'namespaces' } as ResourceDefinition;
const namespace = (labels: Record<string, string>): ApiObject => ({
  ...{ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'n', labels } },
});
const pod = (name: string, spec: object = { hostPID: true }, controller?: string): ApiObject => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name,
    namespace: 'n',
    ...(controller && {
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: controller, uid: controller, controller: true },
      ],
    }),
  },
  spec,
});
const many = (count: number, make: (index: number) => ApiObject) => Array.from({ length: count }, (_, i) => make(i));

interface Given {
  readonly clock?: FakeClock;
  readonly exempt?: string;
  readonly objects?: Partial<Lookup>;
  readonly deadline?: number;
}

async function warningsFor(pods: readonly ApiObject[], given: Given = {}): Promise<readonly string[]> {
  const { clock = new FakeClock(), exempt, objects, deadline } = given;
  const runtimeClasses = new Set(exempt === undefined ? [] : [exempt]);
  const exemptions = { ...defaultSettings.podSecurity.exemptions, runtimeClasses };
  const plugin = podSecurity({
    ...{ clock, dialect: kubernetes, objects: { ...lookupOf({ pods }), ...objects } },
    settings: { podSecurity: { ...defaultSettings.podSecurity, exemptions } },
  });
  const stricter = { object: namespace({ [enforce]: 'baseline' }), oldObject: namespace({}) };
  const life = deadline === undefined ? {} : { deadline };
  const request = requestFor({ definition, operation: 'UPDATE', ...stricter, ...life });
  await plugin.validate?.(request);
  return request.warnings;
}

const violated = 'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"';
const partly = (checked: number, all: number) =>
  `new PodSecurity enforce level only checked against the first ${checked} of ${all} existing pods`;

test('3000 pods are looked at', async () => {
  const warnings = await warningsFor(many(3002, (i) => pod(`p${i}`)));
  expect(warnings).toEqual([partly(3000, 3002), violated, 'p0 (and 2999 other pods): host namespaces']);
});

test('one pod of each controller comes before all others', async () => {
  const replicas = many(3100, (i) => pod(`a${i}`, {}, 'one'));
  const warnings = await warningsFor([...replicas, pod('last', { hostPID: true }, 'two'), pod('single')]);
  expect(warnings).toEqual([partly(3000, 3102), violated, 'last (and 1 other pod): host namespaces']);
});

test('pods of an exempt runtime class do not count', async () => {
  const exempt = many(3100, (i) => pod(`a${i}`, { hostPID: true, runtimeClassName: 'sandbox' }));
  expect(await warningsFor([...exempt, pod('one')], { exempt: 'sandbox' })).toEqual([violated, 'one: host namespaces']);
});

/** Each pod that is made takes so many milliseconds. */
function slow(clock: FakeClock, pods: readonly ApiObject[], ms: number): Partial<Lookup> {
  const made = (object: ApiObject) => () => {
    clock.advance(ms);
    return object;
  };
  return { each: () => pods.map(made) };
}

test('a second, and no more than half of what the request has left, is spent on it', async () => {
  const pods = many(10, (i) => pod(`p${i}`));
  const check = (deadline?: number) => {
    const clock = new FakeClock();
    const until = deadline === undefined ? {} : { deadline: clock.now() + deadline };
    return warningsFor(pods, { clock, objects: slow(clock, pods, 300), ...until });
  };
  expect((await check())[0]).toBe(partly(1, 10));
  expect((await check(100_000))[0]).toBe(partly(1, 10));
  const quick = new FakeClock();
  expect(await warningsFor(pods, { clock: quick, objects: slow(quick, pods, 50) })).toEqual([
    violated,
    'p0 (and 9 other pods): host namespaces',
  ]);
  const short = new FakeClock();
  const life = { clock: short, deadline: short.now() + 400 };
  expect((await warningsFor(pods, { ...life, objects: slow(short, pods, 50) }))[0]).toBe(partly(1, 10));
});

test('pods that cannot be listed are no reason to refuse', async () => {
  const each = async () => {
    throw new Error('no store');
  };
  expect(await warningsFor([], { objects: { each } })).toEqual([
    'failed to list pods while checking new PodSecurity enforce level',
  ]);
});
