import { expect, test } from 'vitest';
import { inTurns } from '../../../base/steps.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { aggregate, aggregating } from './aggregation.ts';

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

test('rules come in the order of the selectors, then of names, each once', async () => {
  const wanted = aggregated(...of('one', 'two', 'one'));
  expect(resources(aggregate(wanted, others))).toEqual(['nodes', 'pods', 'secrets']);
  expect(await inTurns(aggregating(wanted, others))).toEqual(aggregate(wanted, others));
});

test('a role that has its rules already stays the same', async () => {
  const filled = aggregate(aggregated(...of('two')), others);
  expect(aggregate(filled, others)).toBe(filled);
  expect(await inTurns(aggregating(filled, others))).toBe(filled);
});

test('thousands of selectors let other work in between', async () => {
  const many = Array.from({ length: 30_000 }, (_, i) => ({ matchLabels: { [`l${i}`]: 'yes' } }));
  const roles = Array.from({ length: 70 }, (_, i) => role(`r${i}`, { some: 'label' }, 'pods'));
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await inTurns(aggregating(aggregated(...many), roles));
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
});

test('a selector of thousands of labels is looked through once for all roles, in steps', () => {
  const matchLabels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`l${i}`, 'yes']));
  let listed = 0;
  const counted = new Proxy(matchLabels, {
    ownKeys(target) {
      listed++;
      return Reflect.ownKeys(target);
    },
  });
  const roles = Array.from({ length: 70 }, (_, i) => role(`r${i}`, { l0: 'yes' }, 'pods'));
  const steps = [
    ...aggregating(aggregated({ matchLabels: counted }), [...roles, role('all-of-them', matchLabels, 'nodes')]),
  ];
  expect(steps.length).toBeGreaterThan(50);
  expect(listed).toBeLessThan(10);
  expect(resources(aggregate(aggregated({ matchLabels }), [role('all-of-them', matchLabels, 'nodes')]))).toEqual([
    'nodes',
  ]);
});
