import { expect, test } from 'vitest';
import { resolveControllerOptions } from './controller-options.ts';
import { completed } from './option-types.ts';
import { type ServerOptions, serverOptions } from './server-options.ts';

const resolved = (options: ServerOptions) =>
  resolveControllerOptions(completed(serverOptions, options), { workloads: false, nodes: 0, rules: [], programs: {} });

test('workers are set for the queues of a controller', () => {
  const { workers } = resolved({ concurrentNamespaceSyncs: 7, concurrentGcSyncs: 3 });
  expect(Object.fromEntries(workers)).toEqual({
    namespace: 7,
    garbage_collector_attempt_to_delete: 3,
    garbage_collector_attempt_to_orphan: 3,
  });
});

test('leader election uses the given durations, or is off', () => {
  const options = {
    leaderElectResourceName: 'mine',
    leaderElectResourceNamespace: 'here',
    leaderElectLeaseDurationSeconds: 30,
  };
  expect(resolved(options).election).toEqual({
    ...{ name: 'mine', namespace: 'here', leaseMs: 30_000, renewWithinMs: 10_000, retryMs: 2000 },
  });
  expect(resolved({ leaderElect: false }).election).toBeUndefined();
});

test('without garbage collection its controller does not run', () => {
  const { selection, collectsGarbage } = resolved({ enableGarbageCollector: false });
  expect([selection, collectsGarbage]).toEqual([['-garbage-collector-controller', '*'], false]);
});
