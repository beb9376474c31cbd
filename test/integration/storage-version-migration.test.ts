// StorageVersionMigrations: what was stored in an older version is stored again, and the definition says so.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let store: Store;
let api: Api;
beforeAll(async () => {
  store = openMemoryStore();
  server = await startTestServer({
    listen: false,
    store,
    runtimeConfig: { 'storagemigration.k8s.io/v1beta1': true },
    featureGates: { StorageVersionMigrator: true },
  });
  api = apiOf(server);
});
afterAll(() => server.close());

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const migrations = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations';
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const versions = (stored: string) =>
  ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === stored, schema }));

async function define(plural: string, kind: string): Promise<string> {
  const path = `${definitions}/${plural}.example.com`;
  const spec = { group: 'example.com', scope: 'Namespaced', names: { plural, kind }, versions: versions('v1') };
  await api.post(definitions, { metadata: { name: `${plural}.example.com` }, spec });
  await eventually(async () => expect(conditionsOf(await api.get(path))['Established']).toMatch(/^True/));
  return path;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

const conditionsOf = ({ body }: Answer): Record<string, string> =>
  Object.fromEntries(
    (body.status?.conditions ?? []).map(({ type, status, reason }: Condition) => [type, `${status} ${reason}`]),
  );

async function migrate(name: string, resource: string, group = 'example.com'): Promise<void> {
  const body = { metadata: { name }, spec: { resource: { group, resource } } };
  expect((await api.post(migrations, body)).status).toBe(201);
}

/** The migration once it no longer runs. */
function ended(name: string): Promise<Answer> {
  return eventually(async () => {
    const answer = await api.get(`${migrations}/${name}`);
    expect(conditionsOf(answer)['Running']).toBe('False MigrationCompleted');
    return answer;
  });
}

async function storedVersion(key: string): Promise<string> {
  const entry = await store.get(key);
  return JSON.parse(Buffer.from(entry?.value ?? []).toString()).apiVersion;
}

test('objects of a custom resource are stored again, and its definition forgets the old version', async () => {
  const path = await define('apples', 'Apple');
  const apples = '/apis/example.com/v1/namespaces/default/apples';
  await api.post(apples, { kind: 'Apple', apiVersion: 'example.com/v1', metadata: { name: 'a' }, spec: { size: 1 } });
  await api.patch('merge', path, { spec: { versions: versions('v2') } });
  expect((await api.get(path)).body.status.storedVersions).toEqual(['v1', 'v2']);
  const before = (await api.get(`${apples}/a`)).body;
  expect(await storedVersion('/example.com/apples/default/a')).toBe('example.com/v1');

  await migrate('apples', 'apples');
  const migration = await ended('apples');
  expect(conditionsOf(migration)).toEqual({
    Running: 'False MigrationCompleted',
    Succeeded: 'True StorageVersionMigrationSucceeded',
  });
  expect(Number(migration.body.status.resourceVersion)).toBeGreaterThanOrEqual(Number(before.metadata.resourceVersion));
  expect(await storedVersion('/example.com/apples/default/a')).toBe('example.com/v2');
  const after = (await api.get(`${apples}/a`)).body;
  expect(after).toEqual({ ...before, metadata: { ...before.metadata, resourceVersion: expect.any(String) } });
  expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);

  const definition = await api.get(path);
  expect(definition.body.status.storedVersions).toEqual(['v2']);
  const told = definition.body.status.conditions.find(({ type }: Condition) => type === 'StorageMigrating');
  expect(told).toMatchObject({
    status: 'False',
    reason: 'MigrationSucceeded',
    message: 'The migration has succeeded and the stored versions have been updated',
    observedGeneration: definition.body.metadata.generation,
  });
  const shortened = await api.patch('merge', path, { spec: { versions: versions('v2').slice(1) } });
  expect(shortened.status).toBe(200);
  expect((await api.get('/apis/example.com/v2/namespaces/default/apples/a')).body.spec).toEqual({ size: 1 });
});

test('objects that are stored in the right version already are not touched', async () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const { body } = await api.post(path, { metadata: { name: 'untouched' }, data: { a: '1' } });
  await migrate('config', 'configmaps', '');
  expect(conditionsOf(await ended('config'))['Succeeded']).toBe('True StorageVersionMigrationSucceeded');
  expect((await api.get(`${path}/untouched`)).body).toEqual(body);
});

test('a built-in kind that was stored in an older version is stored in the current one', async () => {
  const key = '/horizontalpodautoscalers/default/old';
  const metadata = { name: 'old', namespace: 'default', uid: '3f0e0a9c-6b1f-4c52-8f3a-0d8a4f3c2b11' };
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 };
  const value = { kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v1', metadata, spec, status: {} };
  await store.commit({ key, value: Buffer.from(JSON.stringify(value)), expected: 0 as never });
  await migrate('scalers', 'horizontalpodautoscalers', 'autoscaling');
  expect(conditionsOf(await ended('scalers'))['Succeeded']).toBe('True StorageVersionMigrationSucceeded');
  expect(await storedVersion(key)).toBe('autoscaling/v2');
});

test('a resource that cannot be stored again makes the migration fail', async () => {
  await migrate('reviews', 'tokenreviews', 'authentication.k8s.io');
  const { body } = await ended('reviews');
  expect(body.status.conditions.find(({ type }: Condition) => type === 'Failed')).toMatchObject({
    status: 'True',
    reason: 'StorageVersionMigrationFailed',
    message:
      'resource "authentication.k8s.io/v1, Resource=tokenreviews" does not support discovery operations: [update patch list]',
  });
});

test('migrations of one resource run one after the other', async () => {
  await define('pears', 'Pear');
  for (const name of ['pears-b', 'pears-a']) await migrate(name, 'pears');
  for (const name of ['pears-a', 'pears-b'])
    expect(conditionsOf(await ended(name))['Succeeded']).toBe('True StorageVersionMigrationSucceeded');
  const [first, second] = await Promise.all(
    ['pears-a', 'pears-b'].map(async (name) => (await api.get(`${migrations}/${name}`)).body.status.resourceVersion),
  );
  expect(first).not.toBe(second);
});

test('what is wrong with a migration is said when it is made', async () => {
  const body = { metadata: { name: 'wrong' }, spec: { resource: { resource: 'Pods', group: 'a_b' } } };
  const { status, body: answer } = await api.post(migrations, body);
  expect(status).toBe(422);
  expect(answer.details.causes.map(({ field }: { field: string }) => field)).toEqual([
    'spec.resource.resource',
    'spec.resource.group',
  ]);
});
