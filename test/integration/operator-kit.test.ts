// The parts of operators that `keelson` exports, and the checks of the test kit, against a server.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  addFinalizer,
  type Condition,
  findCondition,
  Informer,
  isConflict,
  isNotFound,
  ownerReference,
  removeFinalizer,
  updateStatus,
  WorkQueue,
  withCondition,
} from '../../src/index.ts';
import {
  assertCondition,
  assertEvent,
  assertFinalizer,
  assertNoObject,
  assertObject,
  assertOwner,
  startTestServer,
  type TestServer,
} from '../../src/testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ listen: false, settle: true });
});
afterEach(() => server.reset());
afterAll(() => server.close());

const maps = '/api/v1/namespaces/default/configmaps';
const quick = { timeoutMs: 200 };
const map = (name: string, more: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } },
  ...more,
});

describe('finalizers', () => {
  test('are added once, and removed so that the object can be deleted', async () => {
    const { raw } = server.client;
    await raw.create(maps, map('a'));
    const path = `${maps}/a`;
    const first = await addFinalizer(raw, path, 'example.com/clean');
    const second = await addFinalizer(raw, path, 'example.com/clean');
    expect(second.metadata).toMatchObject({ finalizers: ['example.com/clean'] });
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    assertFinalizer(second, 'example.com/clean');
    expect(() => assertFinalizer(second, 'other')).toThrow('other is not among the finalizers: example.com/clean');
    await raw.delete(path);
    expect((await addFinalizer(raw, path, 'example.com/late')).metadata.finalizers).toEqual(['example.com/clean']);
    await removeFinalizer(raw, path, 'example.com/clean');
    expect(await raw.find(path)).toBeUndefined();
  });

  test('are written again when another client was faster', async () => {
    const { raw } = server.client;
    await raw.create(maps, map('a'));
    const fault = server.faults.fail({ verb: 'update', name: 'a' }, { status: 409, reason: 'Conflict', times: 2 });
    expect((await addFinalizer(raw, `${maps}/a`, 'example.com/clean')).metadata.finalizers).toHaveLength(1);
    expect(fault.hits).toBe(2);
    server.faults.fail({ verb: 'update', name: 'a' }, { status: 409, reason: 'Conflict', times: Infinity });
    const error = await removeFinalizer(raw, `${maps}/a`, 'example.com/clean').catch((reason: unknown) => reason);
    expect([isConflict(error), isNotFound(error)]).toEqual([true, false]);
  });
});

describe('a status', () => {
  test('keeps the time of a condition whose status has not changed, and is written only when it differs', async () => {
    const { raw } = server.client;
    const pod = await server.client.pods('default').create({
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image: 'nginx' }] },
    });
    const path = `/api/v1/namespaces/default/pods/${pod.metadata?.name}`;
    interface Status {
      readonly conditions?: readonly Condition[];
    }
    const ready = (reason: string, now: number) =>
      updateStatus<Status>(raw, path, (status) => ({
        ...status,
        conditions: withCondition(status.conditions, { type: 'Ready', status: 'True', reason }, now),
      }));
    const first = await ready('Started', 1000);
    expect(findCondition(first, 'Ready')?.lastTransitionTime).toBe('1970-01-01T00:00:01Z');
    const second = await ready('StillThere', 5000);
    expect(findCondition(second, 'Ready')).toMatchObject({
      ...{ reason: 'StillThere', lastTransitionTime: '1970-01-01T00:00:01Z' },
    });
    const third = await ready('StillThere', 9000);
    expect(third.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    assertCondition(third, 'Ready', { reason: 'StillThere' });
    expect(() => assertCondition(third, 'Ready', { status: 'False' })).toThrow(
      'condition Ready.status: "False" is expected, it is "True"',
    );
    expect(() => assertCondition(third, 'Done')).toThrow('there is no condition Done; the object has Ready=True');
  });
});

test('an informer and a work queue make an operator: an owned object for each object', async () => {
  const { raw } = server.client;
  const queue = new WorkQueue({
    async work(name) {
      const owner = await raw.find(`${maps}/${name}`);
      if (owner === undefined) return 'done';
      const metadata = { name, ownerReferences: [ownerReference(owner)] };
      await raw.apply(
        `/api/v1/namespaces/default/secrets/${name}`,
        {
          ...{ apiVersion: 'v1', kind: 'Secret', metadata },
        },
        'copier',
      );
      return 'done';
    },
    onError: () => {},
  });
  const informer = new Informer({
    client: raw,
    path: `${maps}?labelSelector=copy`,
    onChange: ({ metadata }) => queue.add(metadata.name ?? ''),
    onError: () => {},
  });
  informer.start();
  try {
    const owner = await raw.create(maps, map('a', { metadata: { name: 'a', labels: { copy: 'yes' } } }));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'default' } };
    await assertObject(server, { ...secret, type: 'Opaque' });
    const made = await server.client.secrets('default').get('a');
    assertOwner(made, owner);
    expect(() => assertOwner(made, { ...owner, metadata: { name: 'b', uid: 'x' } })).toThrow(
      'the owners are: ConfigMap a',
    );
    await raw.delete(`${maps}/a`);
    await assertNoObject(server, secret);
    await expect(assertObject(server, { ...secret, type: 'Other' }, quick)).rejects.toThrow(
      'there is no Secret default/a',
    );
  } finally {
    await informer.close();
    await queue.close();
  }
});

test('an object that differs is described field by field', async () => {
  await server.apply(map('a', { data: { colour: 'blue' } }));
  await assertObject(server, map('a', { data: { colour: expect.any(String) } }));
  await expect(assertObject(server, map('a', { data: { colour: 'red' } }), quick)).rejects.toThrow(
    'data.colour: "red" is expected, it is "blue"',
  );
  await expect(assertObject(server, { ...map('a'), kind: 'Nothing' }, quick)).rejects.toThrow(
    'kind Nothing of v1 is not served',
  );
});

test('events are checked by the object that they are about', async () => {
  const about = await server.client.raw.create(maps, map('a'));
  const { name, namespace = '', uid = '' } = about.metadata;
  await server.client.events('default').create({
    metadata: { name: 'a.1' },
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name: name as string, namespace, uid },
    ...{ type: 'Warning', reason: 'Refused', message: 'no' },
  });
  await assertEvent(server, about, { reason: 'Refused' });
  await expect(assertEvent(server, about, { reason: 'Done' }, quick)).rejects.toThrow(
    'no such event about a; the events are: Warning Refused: no',
  );
});
