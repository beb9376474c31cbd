import { expect, test } from 'vitest';
import { Client, type ClientRequest, RequestError } from '../../client/client.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import type { ControllerContext } from '../controller.ts';
import { type ForcedDeletion, forceDeleteAll } from './force-delete.ts';

const pod = (name: string, phase = 'Running') => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { namespace: 'default', name, uid: `uid of ${name}`, resourceVersion: '7', generation: 3 },
  spec: { containers: [] },
  status: { phase },
});

async function* some(...pods: ReturnType<typeof pod>[]) {
  yield* pods;
}

/** Deletes pods; requests for the named ones are answered with these codes. */
function start(codes: Readonly<Record<string, number>>) {
  const requests: ClientRequest[] = [];
  const client = new Client({
    async send(request) {
      requests.push(request);
      const name = request.path.split('/')[6] ?? '';
      return { status: codes[name] ?? 200, body: { message: 'no' } };
    },
    async *lines() {},
  });
  const deletions: ForcedDeletion[] = [];
  const context = { client, clock: new FakeClock() } as unknown as ControllerContext;
  return { requests, deletions, parts: { context, onDeletion: (one: ForcedDeletion) => deletions.push(one) } };
}

test('the status names the pod as it was read, the deletion names its uid', async () => {
  const { parts, requests } = start({});
  expect(await forceDeleteAll(parts, some(pod('p')), 'unscheduled')).toBe('done');
  expect(requests.map(({ method, path, body }) => [method, path, body])).toEqual([
    [
      'PATCH',
      '/api/v1/namespaces/default/pods/p/status',
      { metadata: { uid: 'uid of p', resourceVersion: '7' }, status: { phase: 'Failed', observedGeneration: 3 } },
    ],
    ['DELETE', '/api/v1/namespaces/default/pods/p', { gracePeriodSeconds: 0, preconditions: { uid: 'uid of p' } }],
  ]);
});

test.each(['Succeeded', 'Failed'])('the status of a pod that is %s stays as it is', async (phase) => {
  const { parts, requests } = start({});
  await forceDeleteAll(parts, some(pod('p', phase)), 'orphaned');
  expect(requests.map(({ method }) => method)).toEqual(['DELETE']);
});

test('one failure does not keep other pods; all are counted, and the failure is reported at the end', async () => {
  const { parts, deletions } = start({ bad: 500, deleted: 404 });
  const deletion = forceDeleteAll(parts, some(pod('bad'), pod('deleted'), pod('good')), 'orphaned');
  await expect(deletion).rejects.toThrow(RequestError);
  expect(deletions.map(({ reason, failed }) => [reason, failed])).toEqual([
    ['orphaned', true],
    ['orphaned', false],
    ['orphaned', false],
  ]);
});

test('a pod that has changed in the meantime is looked at again', async () => {
  const { parts } = start({ changed: 409 });
  expect(await forceDeleteAll(parts, some(pod('changed'), pod('good')), 'terminated')).toBe('again');
});
