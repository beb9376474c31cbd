// Who owns which field after webhooks and policies changed an object: what they say counts while it can be understood.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, install, label, patchOf } from './admission-hooks.ts';
import { type Api, apiOf, configMaps } from './api.ts';
import { bindMutatingPolicy, mutatingPolicy } from './policies.ts';

let server: Awaited<ReturnType<typeof startTestServer>>;
let api: Api;
let hooks: AdmissionHooks;
beforeAll(async () => {
  hooks = await AdmissionHooks.open();
  server = await startTestServer({ controllers: [] });
  api = apiOf(server);
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
});

async function home(name: string): Promise<string> {
  await api.post('/api/v1/namespaces', { metadata: { name } });
  return configMaps.replace('default', name);
}

const applyType = { 'content-type': 'application/apply-patch+yaml' };

const warningOf = (problem: string) =>
  `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`;

const managersOf = (body: { metadata: { managedFields?: { manager: string }[] } }) =>
  (body.metadata.managedFields ?? []).map(({ manager }) => manager);

const entry = { manager: 'hook', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} };

test.each([
  ['operation', { ...entry, operation: 'Change' }, 'operation must be `Apply` or `Update`'],
  ['version', { ...entry, apiVersion: '' }, 'apiVersion must not be empty'],
  ['no type', { ...entry, fieldsType: '' }, 'missing fieldsType in managed fields entry 0'],
  ['type', { ...entry, fieldsType: 'Other' }, 'invalid fieldsType "Other" in managed fields entry 0'],
  ['path', { ...entry, fieldsV1: { 'k:{': {} } }, 'error decoding versioned set from managed fields entry 0'],
])('owners that cannot be understood stay as they were: %s', async (what, given, problem) => {
  const name = `wrong-${what.replace(' ', '-')}`;
  const path = await home(name);
  const answer = () => patchOf({ op: 'replace', path: '/metadata/managedFields', value: [given] });
  await install(api, 'mutating', name, hooks.hook(`/${name}/owners`, answer));
  const created = await api.post(`${path}?fieldManager=me`, { metadata: { name: 'one' }, data: { a: '1' } });
  expect([created.status, managersOf(created.body)]).toEqual([201, ['me']]);
  expect(created.headers.get('warning')).toContain(JSON.stringify(warningOf(problem)).slice(1, -1));
  const body = { metadata: { name: 'one' }, data: { a: '2' } };
  const updated = await api.put(`${path}/one?fieldManager=other`, body);
  expect([updated.status, managersOf(updated.body)]).toEqual([200, ['me', 'other']]);
  const applied = await api.call(
    'PATCH',
    `${path}/one?fieldManager=third`,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: { b: '1' },
    },
    applyType,
  );
  expect([applied.status, managersOf(applied.body)]).toEqual([200, ['third', 'me', 'other']]);
  expect(applied.headers.get('warning')).toContain('invalid state after admission');
});

test('owners that can be understood are stored as a webhook says', async () => {
  const path = await home('right');
  const answer = () => patchOf({ op: 'replace', path: '/metadata/managedFields', value: [entry] });
  await install(api, 'mutating', 'right', hooks.hook('/right/owners', answer));
  const { body, headers } = await api.post(`${path}?fieldManager=me`, { metadata: { name: 'one' }, data: { a: '1' } });
  expect([managersOf(body), headers.get('warning')]).toEqual([['hook'], null]);
});

test('what a webhook adds has no owner, and belongs to the manager that writes it next', async () => {
  const path = await home('added');
  await install(
    api,
    'mutating',
    'added',
    hooks.hook('/added/label', () => label('by', 'hook')),
  );
  const sent = { metadata: { name: 'one', labels: { own: 'x' } } };
  const { body } = await api.post(`${path}?fieldManager=me`, sent);
  const [{ fieldsV1 }] = body.metadata.managedFields;
  expect(body.metadata.labels).toEqual({ own: 'x', by: 'hook' });
  expect(fieldsV1).toEqual({ 'f:metadata': { 'f:labels': { '.': {}, 'f:own': {} } } });
});

test('a policy that breaks them is told the same way', async () => {
  const path = await home('policy');
  const expression = `[JSONPatch{op: "replace", path: "/metadata/managedFields/0/operation", value: "Change"}]`;
  await mutatingPolicy(api, 'breaks-owners', { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }] });
  await bindMutatingPolicy(api, 'breaks-owners', { namespace: 'policy' });
  const { status, body, headers } = await api.post(`${path}?fieldManager=me`, {
    metadata: { name: 'one' },
    data: { a: '1' },
  });
  expect([status, managersOf(body)]).toEqual([201, ['me']]);
  expect(body.metadata.managedFields[0].operation).toBe('Update');
  expect(headers.get('warning')).toContain('operation must be `Apply` or `Update`');
});
