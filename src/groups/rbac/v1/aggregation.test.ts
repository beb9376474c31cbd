import { expect, test } from 'vitest';
import type { ApiObject } from '../../../meta/object.ts';
import { aggregate } from './aggregation.ts';

const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const role = (name: string, labels: Record<string, string>, ...resources: string[]) =>
  ({ metadata: { name, labels }, rules: resources.map(rule) }) as unknown as ApiObject;
const aggregated = (...clusterRoleSelectors: object[]) =>
  ({ metadata: { name: 'all' }, rules: null, aggregationRule: { clusterRoleSelectors } }) as unknown as ApiObject;
const of = (...labels: string[]) => labels.map((label) => ({ matchLabels: { [label]: 'yes' } }));

const others = [
  role('c', { two: 'yes' }, 'pods', 'secrets'),
  role('b', { one: 'yes', two: 'yes' }, 'nodes'),
  role('a', { two: 'yes' }, 'pods'),
];
const resources = (one: ApiObject) =>
  (one as unknown as { rules: { resources: string[] }[] }).rules.flatMap((each) => each.resources);

test('rules come in the order of the selectors, then of names, each once', () => {
  const wanted = aggregated(...of('one', 'two', 'one'));
  expect(resources(aggregate(wanted, others))).toEqual(['nodes', 'pods', 'secrets']);
});

test('a role that has its rules already stays the same', () => {
  const filled = aggregate(aggregated(...of('two')), others);
  expect(aggregate(filled, others)).toBe(filled);
});

test('a selector of thousands of labels is listed once for all roles', () => {
  const matchLabels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`l${i}`, 'yes']));
  let listed = 0;
  const counted = new Proxy(matchLabels, {
    ownKeys(target) {
      listed++;
      return Reflect.ownKeys(target);
    },
  });
  const roles = Array.from({ length: 70 }, (_, i) => role(`r${i}`, { l0: 'yes' }, 'pods'));
  aggregate(aggregated({ matchLabels: counted }), [...roles, role('all-of-them', matchLabels, 'nodes')]);
  expect(listed).toBeLessThan(10);
  expect(resources(aggregate(aggregated({ matchLabels }), [role('all-of-them', matchLabels, 'nodes')]))).toEqual([
    'nodes',
  ]);
});
