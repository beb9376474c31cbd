// How namespaces begin and end (spec: Names and scope, Object deletion, admission plugin NamespaceLifecycle).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap } from './api.ts';
import { eventually, gone } from './eventually.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false, clock: new FakeClock() });
  api = apiOf(server);
});
afterAll(() => server.close());

const at = (name: string) => `/api/v1/namespaces/${name}`;

async function makeNamespace(name: string): Promise<void> {
  expect((await api.post('/api/v1/namespaces', { metadata: { name } })).status).toBe(201);
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

async function conditionsOf(name: string): Promise<Record<string, string>> {
  const { status } = (await api.get(at(name))).body;
  const entries = (status.conditions ?? []).map((c: Condition) => [c.type, `${c.status} ${c.reason}: ${c.message}`]);
  return Object.fromEntries(entries);
}

test('four are there from the start', async () => {
  const { items } = (await api.get('/api/v1/namespaces')).body;
  const names = items.map((item: { metadata: { name: string } }) => item.metadata.name);
  expect(names).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
});

describe('a namespace that is deleted', () => {
  test('tells what keeps it, and goes when that has gone', async () => {
    await makeNamespace('stuck');
    const held = { finalizers: ['example.com/x', 'example.com/y'] };
    await api.post(`${at('stuck')}/configmaps`, configMap('held', {}, held));
    await api.post(`${at('stuck')}/secrets`, { metadata: { name: 'held', finalizers: ['example.com/x'] } });
    await api.delete(at('stuck'));
    await eventually(async () =>
      expect(await conditionsOf('stuck')).toEqual({
        NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
        NamespaceDeletionGroupVersionParsingFailure:
          'False ParsedGroupVersions: All legacy kube types successfully parsed',
        NamespaceDeletionContentFailure:
          'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
        NamespaceContentRemaining:
          'True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, secrets. has 1 resource instances',
        NamespaceFinalizersRemaining:
          'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/x in 2 resource instances, example.com/y in 1 resource instances',
      }),
    );
    await api.patch('merge', `${at('stuck')}/configmaps/held`, { metadata: { finalizers: null } });
    expect((await api.get(at('stuck'))).status).toBe(200);
    await api.patch('merge', `${at('stuck')}/secrets/held`, { metadata: { finalizers: null } });
    await gone(api, at('stuck'));
  });

  test('loses its pods before anything else', async () => {
    await makeNamespace('ordered');
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    expect((await api.post(`${at('ordered')}/pods`, { metadata: { name: 'p' }, spec })).status).toBe(201);
    await api.post(`${at('ordered')}/configmaps`, configMap('later'));
    await api.delete(at('ordered'));
    await eventually(async () => {
      const { NamespaceContentRemaining: remaining } = await conditionsOf('ordered');
      expect(remaining).toContain('pods. has 1 resource instances');
    });
    expect((await api.get(`${at('ordered')}/configmaps/later`)).status).toBe(200);
    await api.delete(`${at('ordered')}/pods/p?gracePeriodSeconds=0`);
    await gone(api, at('ordered'));
  });

  test('waits for finalizers of its own, which the finalize subresource removes', async () => {
    const metadata = { name: 'claimed' };
    await api.post('/api/v1/namespaces', { metadata, spec: { finalizers: ['example.com/mine'] } });
    await api.delete(at('claimed'));
    await eventually(async () =>
      expect((await api.get(at('claimed'))).body.spec.finalizers).toEqual(['example.com/mine']),
    );
    const { body } = await api.get(at('claimed'));
    expect((await api.put(`${at('claimed')}/finalize`, { ...body, spec: {} })).status).toBe(200);
    await gone(api, at('claimed'));
  });

  test('may be made again under the same name', async () => {
    await makeNamespace('phoenix');
    await api.delete(at('phoenix'));
    await gone(api, at('phoenix'));
    await makeNamespace('phoenix');
    await eventually(async () => expect((await api.get(`${at('phoenix')}/serviceaccounts/default`)).status).toBe(200));
  });

  test('with two thousand objects goes in one go', async () => {
    await makeNamespace('full');
    const posts = Array.from({ length: 2000 }, (_, n) => api.post(`${at('full')}/configmaps`, configMap(`c-${n}`)));
    await Promise.all(posts);
    await api.delete(at('full'));
    await gone(api, at('full'));
    expect((await api.get(`${at('full')}/configmaps`)).body.items).toEqual([]);
  });
});
