import { expect, test } from 'vitest';
import { objectMeta } from '../../groups/meta/v1/types.ts';
import { field, mapOf, string, struct } from '../../schema/types.ts';
import { leaf } from '../fields/field-set.ts';
import { objectTopology } from '../typed/object-topology.ts';
import { ownerOf } from './managers.ts';
import { afterUpdate } from './ownership.ts';

const thing = struct('test/v1', 'Thing', '', {
  metadata: field(1, objectMeta, { always: true }),
  data: field(2, mapOf(string)),
});

const many = <T>(make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, make(index)]));

/** How many steps it takes to move what a manager owned that wrote in this version. */
function stepsWith(apiVersion: string): number {
  const topology = objectTopology(thing, []);
  const named = { operation: 'Update', subresource: '' } as const;
  const owned = Object.fromEntries(Object.keys(many(String)).map((key) => [`f:${key}`, leaf]));
  const steps = afterUpdate({
    live: { metadata: {}, data: many(() => 'a') },
    next: { metadata: {}, data: many(() => 'b') },
    managers: [ownerOf({ ...named, manager: 'other', apiVersion }, undefined, { 'f:data': owned })],
    by: { ...named, manager: 'me', apiVersion: 'test/v1' },
    versions: {
      topologyOf: () => topology,
      *converting(object) {
        yield;
        return object;
      },
    },
  });
  return [...steps].length;
}

test('what a change is in the version of another manager is found in steps, too', () => {
  expect(stepsWith('test/v2')).toBeGreaterThan(stepsWith('test/v1') + 5);
});
