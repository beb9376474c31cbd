import { expect, test } from 'vitest';
import { AvailabilityMetrics } from './availability-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';

const good = { status: 'True', reason: 'Passed', message: '' } as const;
const bad = (reason: string) => ({ status: 'False', reason, message: '' }) as const;

test('unavailable APIServices are shown by name, and each break is counted once', async () => {
  const metrics = new AvailabilityMetrics();
  const requestMetrics = new RequestMetrics({ release: 36, onDeprecated: () => {} });
  requestMetrics.include(metrics.sources);
  metrics.observe('v1.a', good);
  metrics.observe('v1.b', bad('ServiceNotFound'));
  metrics.observe('v1.b', bad('MissingEndpoints'));
  metrics.observe('v1.c', bad('ServiceNotFound'));
  metrics.observe('v1.c', undefined);
  const text = await requestMetrics.render();
  expect(text).toContain('aggregator_unavailable_apiservice{name="v1.a"} 0');
  expect(text).toContain('aggregator_unavailable_apiservice{name="v1.b"} 1');
  expect(text).toContain('aggregator_unavailable_apiservice_total{name="v1.b",reason="ServiceNotFound"} 1');
  expect(text).not.toContain('reason="MissingEndpoints"');
  expect(text).not.toContain('aggregator_unavailable_apiservice{name="v1.c"}');
});
