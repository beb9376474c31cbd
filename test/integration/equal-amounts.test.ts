// Amounts that are written in another way and mean the same are no change, wherever a change is refused or counted.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

let server: Server;
let api: Api;

beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const labels = { app: 'a' };
const podSpec = (memory: string) => ({
  restartPolicy: 'Never',
  automountServiceAccountToken: false,
  containers: [{ name: 'c', image: 'i', resources: { requests: { memory } } }],
});
const template = (memory: string) => ({ metadata: { labels }, spec: podSpec(memory) });
const claimSpec = (storage: string) => ({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } });
const device = (memory: string) => ({
  devices: {
    requests: [
      { name: 'r', exactly: { deviceClassName: 'c', capacity: { requests: { 'a.example/memory': memory } } } },
    ],
  },
});
const running = (memory: string) => ({ ...template(memory), spec: { ...podSpec(memory), restartPolicy: 'Always' } });

/** What refuses any other change, with the amount as a part of it. */
const kinds: readonly (readonly [string, string, string, (amount: string) => object])[] = [
  ['Pod', 'v1', 'pods', podSpec],
  ['Job', 'batch/v1', 'jobs', (amount) => ({ template: template(amount) })],
  ['PersistentVolumeClaim', 'v1', 'persistentvolumeclaims', claimSpec],
  ['ResourceClaim', 'resource.k8s.io/v1', 'resourceclaims', device],
  ['ResourceClaimTemplate', 'resource.k8s.io/v1', 'resourceclaimtemplates', (amount) => ({ spec: device(amount) })],
  [
    'StatefulSet',
    'apps/v1',
    'statefulsets',
    (amount) => ({
      serviceName: 's',
      selector: { matchLabels: labels },
      template: running('1'),
      volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: claimSpec(amount) }],
    }),
  ],
];

const merge = { 'content-type': 'application/merge-patch+json' };
const folder = (apiVersion: string, plural: string) =>
  `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/default/${plural}`;

describe('an amount that may not change', () => {
  test.each(kinds)('of a %s may be written in another way', async (kind, apiVersion, plural, specOf) => {
    const path = folder(apiVersion, plural);
    const made = await api.post(path, { apiVersion, kind, metadata: { name: 'equal' }, spec: specOf('1Gi') });
    expect(made.status).toBe(201);
    const same = await api.call('PATCH', `${path}/equal`, { spec: specOf('1073741824') }, merge);
    expect([same.status, same.body.metadata.generation]).toEqual([200, made.body.metadata.generation]);
    // it is kept as it was written last
    expect(JSON.stringify(same.body.spec)).toContain('"1073741824"');
    expect(same.body.metadata.resourceVersion).not.toBe(made.body.metadata.resourceVersion);
    const other = await api.call('PATCH', `${path}/equal`, { spec: specOf('2Gi') }, merge);
    expect(other.status).toBe(422);
  });
});

test('a generation counts changes of amounts, and not of how they are written', async () => {
  const path = folder('apps/v1', 'daemonsets');
  const spec = (amount: string) => ({ selector: { matchLabels: labels }, template: running(amount) });
  await api.post(path, { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd' }, spec: spec('1Gi') });
  const generations: unknown[] = [];
  for (const amount of ['1073741824', '1024Mi', '2Gi']) {
    const { body } = await api.call('PATCH', `${path}/d`, { spec: spec(amount) }, merge);
    const { generation, annotations } = body.metadata;
    generations.push([generation, annotations['deprecated.daemonset.template.generation']]);
  }
  expect(generations).toEqual([
    [1, '1'],
    [1, '1'],
    [2, '2'],
  ]);
});
