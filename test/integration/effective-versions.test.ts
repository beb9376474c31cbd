// Servers that behave like an older release, or share their store with one: new expressions have what that release knows.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { bindPolicy, matching, policies, policy } from './policies.ts';

let folder: string;
let server: Server;
let api: Api;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-versions-'));
  const options = { listen: false, controllers: [], store: 'embedded', dataDir: folder } as const;
  const current = await startTestServer(options);
  await storeExpressions(apiOf(current));
  await current.close();
  server = await startTestServer({ ...options, emulatedVersion: ['1.34'] });
  api = apiOf(server);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

const sorted = '[3, 1].sort() == [1, 3]';
const notBad = "![object.metadata.name].sort().exists(n, n == 'bad')";
const unknown = "undeclared reference to 'sort' (in container '')";
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const classes = '/apis/resource.k8s.io/v1/deviceclasses';

const definition = (name: string, rules: readonly string[]) => ({
  metadata: { name: `${name}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `${name}s`, singular: name, kind: `K${name}`, listKind: `K${name}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-validations': rules.map((rule) => ({ rule })) } },
          },
        },
      },
    ],
  },
});
const deviceClass = (expression: string) => ({
  metadata: { name: 'multiple' },
  spec: { selectors: [{ cel: { expression } }] },
});
const validating = (name: string, ...expressions: readonly string[]) => ({
  metadata: { name },
  spec: {
    matchConstraints: matching('configmaps'),
    validations: expressions.map((expression) => ({ expression })),
  },
});

async function storeExpressions(newer: Api): Promise<void> {
  await policy(newer, 'stored', { validations: [{ expression: notBad }] });
  await bindPolicy(newer, 'stored');
  expect((await newer.post(definitions, definition('old', [sorted]))).status).toBe(201);
  expect((await newer.post(classes, deviceClass('device.allowMultipleAllocations'))).status).toBe(201);
}

test('the version tells both releases', async () => {
  expect((await api.get('/version')).body).toMatchObject({
    minor: '36',
    emulationMinor: '34',
    minCompatibilityMinor: '33',
  });
  expect((await api.get('/metrics')).body).toContain(
    'version_info{binary="1.36.4",component="kube",emulation="1.34",min_compat="1.33"} 1',
  );
});

test('new expressions do not use what the older release lacks', async () => {
  const refused = await api.post(policies, validating('new', sorted));
  expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining(unknown) } });
  const macro = await api.post(policies, validating('macro', '[2].sortBy(x, x) == [2]'));
  expect(macro.body.message).toContain("undeclared reference to 'sortBy' (in container '')");
  const rule = await api.post(definitions, definition('new', [sorted]));
  expect(rule).toMatchObject({ status: 422, body: { message: expect.stringContaining(unknown) } });
  const device = await api.post(classes, deviceClass('device.allowMultipleAllocations'));
  expect(device.body.message).toContain("undefined field 'allowMultipleAllocations'");
  // what that release has stays
  expect((await api.post(policies, validating('known', "semver('1.0.0').major() == 1"))).status).toBe(201);
});

test('stored expressions keep working, and may be written again', async () => {
  expect((await api.post(configMaps, configMap('bad'))).status).toBe(422);
  const both = { spec: validating('stored', notBad, 'true').spec };
  expect((await api.patch('merge', `${policies}/stored`, both)).status).toBe(200);
  const added = await api.patch('merge', `${policies}/stored`, { spec: validating('stored', sorted).spec });
  expect(added.body.message).toContain(unknown);
  const longer = await api.patch('merge', `${definitions}/olds.example.com`, definition('old', [sorted, 'true']));
  expect(longer.status).toBe(200);
  const other = await api.patch('merge', `${definitions}/olds.example.com`, definition('old', ['[1].sort() == [1]']));
  expect(other.body.message).toContain(unknown);
  const named = { metadata: { labels: { a: 'b' } } };
  expect((await api.patch('merge', `${classes}/multiple`, named)).status).toBe(200);
});
