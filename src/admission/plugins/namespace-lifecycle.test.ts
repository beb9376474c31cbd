// Which writes the state of their namespace forbids.

import { expect, test } from 'vitest';
import { kubernetes } from '../../meta/dialect.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import type { Operation } from '../plugin.ts';
import { lookupOf, requestFor } from '../testing.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';

const namespace = (name: string, phase: string) => ({
  ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase } },
});
const stored = { namespaces: [namespace('here', 'Active'), namespace('going', 'Terminating')] };
const plugin = namespaceLifecycle({ dialect: kubernetes, objects: lookupOf(stored) });
const pods = { group: '', version: 'v1', plural: 'pods', namespaced: true } as ResourceDefinition;

function write(operation: Operation, home: string): () => unknown {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: home } };
  return () => plugin.mutate?.(requestFor({ definition: pods, operation, object, namespace: home }));
}

const missing = 'namespaces "gone" not found';
const terminating = 'unable to create new content in namespace going because it is being terminated';

test.each<readonly [Operation, string, string | undefined]>([
  ['CREATE', 'here', undefined],
  ['UPDATE', 'here', undefined],
  ['DELETE', 'here', undefined],
  ['CREATE', 'going', terminating],
  ['UPDATE', 'going', undefined],
  ['DELETE', 'going', undefined],
  ['CREATE', 'gone', missing],
  ['UPDATE', 'gone', missing],
  ['DELETE', 'gone', undefined],
])('%s in a namespace that is %s: %s', (operation, home, why) => {
  expect(plugin.operations).toContain(operation);
  if (why === undefined) expect(write(operation, home)).not.toThrow();
  else expect(write(operation, home)).toThrow(why);
});

test('an update asks for the latest only where the cache has no such namespace', () => {
  const asked: unknown[] = [];
  const objects = lookupOf(stored);
  const get: typeof objects.get = (resource, ref, mode = 'latest') => {
    asked.push(mode);
    return mode === 'any' ? undefined : objects.get(resource, ref);
  };
  const { mutate } = namespaceLifecycle({ dialect: kubernetes, objects: { ...objects, get } });
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'here' } };
  for (const operation of ['UPDATE', 'CREATE'] as const)
    expect(mutate?.(requestFor({ definition: pods, operation, object }))).toBe(object);
  expect(asked).toEqual(['any', 'latest', 'latest']);
});
