import { expect, test } from 'vitest';
import type { ActionCall } from '../../../../schema/action.ts';
import { evictPod } from './pod-eviction.ts';

const eviction = { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'p' } };
const dry = { ref: { namespace: 'n', name: 'p' }, dryRun: true } as unknown as ActionCall;

test('a dry run is said by the options of an eviction that has some', async () => {
  expect(await evictPod.prepare?.(eviction, dry)).toEqual(eviction);
  const patient = { ...eviction, deleteOptions: { gracePeriodSeconds: 5 } };
  expect(await evictPod.prepare?.(patient, dry)).toEqual({
    ...eviction,
    deleteOptions: { gracePeriodSeconds: 5, dryRun: ['All'] },
  });
});
