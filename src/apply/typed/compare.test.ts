import { expect, test } from 'vitest';
import { deployment } from '../../groups/apps/v1/deployment.ts';
import { configMap } from '../../groups/core/v1/config-map.ts';
import { compare } from './compare.ts';
import { objectTopology } from './object-topology.ts';

test('each of many keys is compared', () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']));
  const finalizers = Array.from({ length: 20_000 }, (_, i) => `example.com/f${i}`);
  const changes = compare(objectTopology(configMap.type, []), {}, { data, metadata: { finalizers } });
  const added = changes.added as unknown as Record<string, Record<string, object>>;
  expect(Object.keys(added['f:data'] ?? {}).sort()).toEqual(
    ['.', ...Object.keys(data).map((key) => `f:${key}`)].sort(),
  );
  expect(Object.keys(added['f:metadata']?.['f:finalizers'] ?? {})).toHaveLength(20_001);
});

const envOf = (count: number, value: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => ({ name: `N${i}`, value: value(i) }));

/** A deployment of one container that has the given environment. */
const withEnv = (env: readonly object[], more: object = {}) => ({
  spec: { template: { metadata: { labels: {} }, spec: { containers: [{ name: 'main', image: 'i', env, ...more }] } } },
});

test('long lists of two objects are compared', () => {
  const topology = objectTopology(deployment.type, []);
  const differing = (count: number) => {
    const before = withEnv(envOf(count, () => 'old'));
    const env = [{ name: 'NEW', value: 'x' }, ...envOf(count - 1, (i) => (i % 2 === 0 ? 'old' : 'new'))];
    return [before, withEnv(env, { image: 'j' })] as const;
  };
  const [before, after] = differing(4000);
  const changes = compare(topology, before, after);
  const inEnv = (set: unknown): readonly string[] => {
    const at = ['f:spec', 'f:template', 'f:spec', 'f:containers', 'k:{"name":"main"}', 'f:env'];
    return Object.keys(at.reduce((node, name) => node?.[name] as never, set as Record<string, never>));
  };
  const odd = Array.from({ length: 3999 }, (_, i) => i).filter((i) => i % 2 === 1);
  expect(inEnv(changes.added)).toEqual(['k:{"name":"NEW"}']);
  expect(inEnv(changes.removed)).toEqual(['k:{"name":"N3999"}']);
  expect(inEnv(changes.modified)).toEqual(odd.map((i) => `k:{"name":"N${i}"}`));
});

test('large maps of two objects are compared', () => {
  const topology = objectTopology(configMap.type, []);
  const data = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i % 100 === 0 ? value : 'same']));
  const before = { data: { ...data(5000, 'old'), gone: 'x' }, metadata: { labels: data(5000, 'same') } };
  const after = { data: { ...data(5000, 'new'), come: 'x' }, metadata: { labels: data(5000, 'same') } };
  const { added, modified, removed } = compare(topology, before, after) as unknown as Record<
    string,
    Record<string, object>
  >;
  expect(Object.keys(modified?.['f:data'] ?? {})).toHaveLength(50);
  expect(Object.keys(modified ?? {})).toEqual(['f:data']);
  expect([Object.keys(added?.['f:data'] ?? {}), Object.keys(removed?.['f:data'] ?? {})]).toEqual([
    ['f:come'],
    ['f:gone'],
  ]);
});
