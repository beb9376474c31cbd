// Who is asked about a write, and in which order.

import { expect, test } from 'vitest';
import { moveToLane } from '../meta/move-to-lane.ts';
import type { ApiObject } from '../meta/object.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { AdmissionChain } from './chain.ts';
import { type AdmissionPlugin, objectsOf, partsOf } from './plugin.ts';
import { requestFor } from './testing.ts';

const pods = { group: '', plural: 'pods' } as ResourceDefinition;
const ingresses = { group: 'networking.example.org', plural: 'ingresses' } as ResourceDefinition;
const adding = (name: string, waits = false): NonNullable<AdmissionPlugin['mutate']> => {
  const added = (object: ApiObject | undefined) =>
    ({ ...object, seen: [...((object?.['seen'] as string[]) ?? []), name] }) as unknown as ApiObject;
  return ({ object }) => (waits ? Promise.resolve(added(object)) : added(object));
};

test('plugins change an object one after another, whether they wait or not', async () => {
  const plugins = ['a', 'b', 'c'].map((name) => ({
    ...{ name, operations: ['CREATE'] as const, covers: () => true },
    mutate: adding(name, name === 'b'),
  }));
  const request = requestFor({ definition: pods, object: { kind: 'Pod', apiVersion: 'v1', metadata: {} } });
  expect(await new AdmissionChain(plugins).mutate(request)).toMatchObject({ seen: ['a', 'b', 'c'] });
});

test.each([false, true])('plugins begin before any of them changes an object (waiting: %s)', async (waits) => {
  const calls: string[] = [];
  const plugins: AdmissionPlugin[] = ['a', 'b'].map((name) => ({
    ...{ name, operations: ['CREATE'], covers: () => true },
    begin: () => {
      calls.push(`${name} begins`);
      return waits ? Promise.resolve() : undefined;
    },
    mutate: ({ object }) => {
      calls.push(`${name} changes`);
      return object;
    },
  }));
  await new AdmissionChain(plugins).mutate(requestFor({ definition: pods }));
  expect(calls).toEqual(['a begins', 'b begins', 'a changes', 'b changes']);
});

test.each([false, true])(
  'a request that moves to the lane is observed there, not here (waiting: %s)',
  async (waits) => {
    const observed: string[] = [];
    const observer = {
      step: () => (rejected: boolean) => observed.push(`step ${rejected}`),
      plugin: (name: string) => (rejected: boolean) => observed.push(`${name} ${rejected}`),
    };
    const move = () => {
      throw moveToLane;
    };
    const plugins: AdmissionPlugin[] = [
      { name: 'a', operations: ['CREATE'], covers: () => true, mutate: ({ object }) => object },
      { name: 'b', operations: ['CREATE'], covers: () => true, mutate: waits ? async () => move() : move },
    ];
    const mutated = async () => new AdmissionChain(plugins, observer).mutate(requestFor({ definition: pods }));
    await expect(mutated()).rejects.toBe(moveToLane);
    expect(observed).toEqual(['a false']);
  },
);

test.each([false, true])('plugins that validate see what an earlier one shows them (waiting: %s)', async (waits) => {
  const seen: unknown[] = [];
  const plugins = ['a', 'b', 'c'].map((name) => ({
    ...{ name, operations: ['CREATE'] as const, covers: () => true },
    validate({ object }: { object: ApiObject | undefined }) {
      seen.push(object?.metadata.name);
      const shown = name === 'a' ? ({ ...object, metadata: { name: 'shown' } } as ApiObject) : undefined;
      return waits ? Promise.resolve(shown) : shown;
    },
  }));
  const object = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'stored' } };
  await new AdmissionChain(plugins).validate(requestFor({ definition: pods, object }));
  expect(seen).toEqual(['stored', 'shown', 'shown']);
});

test('each is asked about what it covers, and once only whether it does', () => {
  const asked: string[] = [];
  const plugin: AdmissionPlugin = {
    name: 'a',
    operations: ['CREATE'],
    covers(definition, subresource) {
      asked.push(`${definition.plural}/${subresource}`);
      return objectsOf('', 'pods', 'status')(definition, subresource);
    },
    validate() {
      throw new Error('no');
    },
  };
  const chain = new AdmissionChain([plugin]);
  expect(chain.validates(pods, '', 'CREATE')).toBe(true);
  expect(chain.validates(pods, 'status', 'CREATE')).toBe(true);
  expect(chain.validates(pods, 'exec', 'CREATE')).toBe(false);
  expect(chain.validates(pods, '', 'UPDATE')).toBe(false);
  expect(chain.validates(ingresses, '', 'CREATE')).toBe(false);
  expect(() => chain.validate(requestFor({ definition: pods }))).toThrow('no');
  expect(chain.validate(requestFor({ definition: ingresses }))).toBeUndefined();
  expect(asked).toEqual(['pods/', 'pods/status', 'pods/exec', 'ingresses/']);
});

test('subresources can be covered without what they belong to', () => {
  const covers = partsOf('networking.example.org', 'ingresses', 'status');
  expect([covers(ingresses, ''), covers(ingresses, 'status'), covers(pods, 'status')]).toEqual([false, true, false]);
});

test('which plugins look at a resource is found out again when one of them says so', () => {
  let isCovered = false;
  let changed = () => {};
  const plugin: AdmissionPlugin = {
    name: 'configured',
    operations: ['CREATE'],
    covers: () => isCovered,
    onCoverageChange: (callback) => {
      changed = callback;
    },
    validate: () => {},
  };
  const chain = new AdmissionChain([plugin]);
  expect(chain.validates(pods, '', 'CREATE')).toBe(false);
  isCovered = true;
  expect(chain.validates(pods, '', 'CREATE')).toBe(false);
  changed();
  expect(chain.validates(pods, '', 'CREATE')).toBe(true);
});

test('a plugin may ask for a second round, in which it sees what the others made of its changes', async () => {
  const first = adding('first');
  const asking: NonNullable<AdmissionPlugin['mutate']> = (request) => {
    request.rounds.wantSecond();
    return adding(request.rounds.isSecond ? 'asking again' : 'asking', true)(request);
  };
  const plugin = (name: string, mutate: NonNullable<AdmissionPlugin['mutate']>): AdmissionPlugin => ({
    ...{ name, operations: ['CREATE'], covers: () => true },
    mutate,
  });
  const chain = new AdmissionChain([plugin('a', first), plugin('b', asking)]);
  const request = requestFor({ definition: pods, object: { kind: 'Pod', apiVersion: 'v1', metadata: {} } });
  expect(await chain.mutate(request)).toMatchObject({ seen: ['first', 'asking', 'first', 'asking again'] });
});
