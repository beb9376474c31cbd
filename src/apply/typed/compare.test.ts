import { expect, test } from 'vitest';
import { configMap } from '../../groups/core/v1/config-map.ts';
import { comparing } from './compare.ts';
import { objectTopology } from './object-topology.ts';

test('a map of many keys is compared in many steps, and each of them is told', () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']));
  const finalizers = Array.from({ length: 20_000 }, (_, i) => `example.com/f${i}`);
  const steps = comparing(objectTopology(configMap.type, []), {}, { data, metadata: { finalizers } });
  let count = 0;
  let next = steps.next();
  for (; !next.done; next = steps.next()) count++;
  expect(count).toBeGreaterThan(15);
  const added = next.value.added as unknown as Record<string, Record<string, object>>;
  expect(Object.keys(added['f:data'] ?? {}).sort()).toEqual(
    ['.', ...Object.keys(data).map((key) => `f:${key}`)].sort(),
  );
  expect(Object.keys(added['f:metadata']?.['f:finalizers'] ?? {})).toHaveLength(20_001);
});
