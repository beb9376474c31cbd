// The fields of a large object: the same in steps as at once.

import { expect, test } from 'vitest';
import type { Steps } from '../../base/steps.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { fieldsOf, findingFields } from './fields-of.ts';
import { objectTopology } from './object-topology.ts';
import type { StructTopology } from './topology.ts';

const topologyOf = (kind: string): StructTopology => {
  const found = builtInGroups(kubernetes)
    .flatMap(({ resources }) => resources)
    .find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no ${kind}`);
  return objectTopology(found.type);
};

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, value: unknown) => Object.fromEntries(many(count, (i) => [`n${i}`, value]));
const template = (container: object) => ({
  spec: { template: { spec: { containers: [{ name: 'a', ...container }] } } },
});

function run<T>(steps: Steps<T>): { readonly result: T; readonly count: number } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next();
    if (done) return { result: value as T, count };
  }
}

const open = topologyOf('ConfigMap');
/** Takes members that it does not declare. */
const withRest: StructTopology = {
  is: 'struct',
  atomic: false,
  fields: open.fields,
  tracked: open.tracked,
  rest: { is: 'map', atomic: false, of: { is: 'untyped' } },
};

test.each<readonly [string, StructTopology, object]>([
  ['a large map', open, { metadata: { labels: named(5000, 'v'), annotations: {} }, data: null }],
  [
    'a long list with keys',
    topologyOf('Deployment'),
    template({ env: many(5000, (i) => ({ name: `N${i}`, value: 'v' })) }),
  ],
  ['a long list without keys', topologyOf('Deployment'), template({ args: many(5000, String), ports: [], env: [{}] })],
  ['a long set', open, { metadata: { finalizers: many(5000, (i) => `example.com/f${i}`) } }],
  ['values of other forms', open, { metadata: { labels: many(5000, String), finalizers: named(5000, 1) }, data: 'x' }],
  ['members that are not declared', withRest, { metadata: {}, other: named(5000, {}), more: { a: many(500, String) } }],
])('%s', (_title, topology, object) => {
  const { result } = run(findingFields(topology, object));
  expect(result).toEqual(fieldsOf(topology, object));
});

test('a large object is looked at in steps, a small one at once', () => {
  expect(run(findingFields(open, { data: named(5000, 'v') })).count).toBeGreaterThan(10);
  expect(run(findingFields(open, { data: named(50, 'v') })).count).toBe(0);
});
