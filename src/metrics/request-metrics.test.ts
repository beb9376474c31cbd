import { expect, test } from 'vitest';
import { counter } from './metric-entry.ts';
import { RequestMetrics } from './request-metrics.ts';

async function shown(release: number): Promise<{ text: string; told: readonly string[] }> {
  const deprecations: string[] = [];
  const metrics = new RequestMetrics({ release, onDeprecated: (name, since) => deprecations.push(`${name} ${since}`) });
  const values = () => [{ labels: {}, value: 7 }];
  metrics.include([
    { name: 'new_total', entry: counter('ALPHA', [], 'Of today.'), values },
    { name: 'old_total', entry: counter('ALPHA', [], 'Of yesterday.', { deprecatedSince: 33 }), values },
  ]);
  const text = await metrics.render();
  await metrics.render();
  return { text, told: deprecations };
}

test('a deprecated metric says so for three releases, and is hidden then, unless it is asked for', async () => {
  const [before, after] = [await shown(35), await shown(36)];
  expect(before.text).toContain('# HELP old_total [ALPHA] (Deprecated since 1.33.0) Of yesterday.\n');
  expect(before.text).toContain('\nold_total 7\n');
  expect(before.told).toEqual(['old_total 33']);
  expect(after.text).not.toContain('old_total');
  expect(after.text).toContain('\nnew_total 7\n');
  expect(after.told).toEqual([]);
});
