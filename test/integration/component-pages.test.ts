// /statusz and /flagz, and the other paths that are no resources, as a kube-apiserver 1.36.4 answers them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { bearer, secureCall } from './secure-call.ts';

const clock = new FakeClock(Date.parse('2026-03-04T05:06:07Z'));
let server: Server;

beforeAll(async () => {
  server = await startTestServer({ clock, commandLine: { v: '2', 'bind-address': '127.0.0.1' } });
});
afterAll(() => server.close());

async function ask(path: string, init: RequestInit = {}) {
  const response = await server.fetch(path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const accepting = (accept: string) => ({ headers: { accept } });
const form = (type: string, kind: string, version = 'v1beta1') => `${type};v=${version};g=config.k8s.io;as=${kind}`;
const pages = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

describe('the state of the server', () => {
  test('is text for people, with one of four separators', async () => {
    const { status, headers, text } = await ask('/statusz');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const [, separator = ''] = /^\napiserver statusz\nWarning: .*\n\nStarted(.*) Wed Mar {2}4 /.exec(text) ?? [];
    expect([':', ': ', '=', ' ']).toContain(separator);
    expect(text.split('\n').slice(4)).toEqual([
      `Started${separator} Wed Mar  4 05:06:07 UTC 2026`,
      expect.stringMatching(/^Up.* \d+ hr \d\d min \d\d sec$/),
      `Go version${separator} node${process.versions.node}`,
      `Binary version${separator} 1.36.4`,
      `Emulation version${separator} 1.36`,
      `Paths${separator} ${pages.join(' ')}`,
      '',
    ]);
  });

  test('is an object for programs that ask for it by kind and version', async () => {
    clock.advance(61_000);
    const { status, headers, text } = await ask('/statusz', accepting(form('application/json', 'Statusz')));
    expect([status, headers.get('warning')]).toEqual([200, null]);
    expect(headers.get('content-type')).toBe('application/json;g=config.k8s.io;v=v1beta1;as=Statusz');
    expect(JSON.parse(text)).toEqual({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'apiserver' },
      startTime: '2026-03-04T05:06:07Z',
      uptimeSeconds: 61,
      goVersion: `node${process.versions.node}`,
      binaryVersion: '1.36.4',
      emulationVersion: '1.36',
      paths: pages,
    });
  });

  test('comes with a warning in the older version', async () => {
    const { headers, text } = await ask('/statusz', accepting(form('application/yaml', 'Statusz', 'v1alpha1')));
    expect(headers.get('warning')).toBe(
      '299 - "This version of the statusz endpoint is deprecated. Please use a newer version."',
    );
    expect(text).toContain('apiVersion: config.k8s.io/v1alpha1\n');
    expect(text).toContain('paths:\n- /flagz\n');
  });
});

describe.each([
  ['/statusz', 'Statusz'],
  ['/flagz', 'Flagz'],
])('%s', (path, kind) => {
  test.each([
    'application/json',
    'text/html',
    form('application/cbor', kind),
    'application/vnd.kubernetes.protobuf',
    form('application/vnd.kubernetes.protobuf', kind),
    form('application/json', kind, 'v2'),
    form('application/json', 'Other'),
    `${form('application/json', kind)};stream=watch`,
  ])('has no form for %s', async (accept) => {
    const { status, text } = await ask(path, accepting(accept));
    expect(status).toBe(406);
    expect(JSON.parse(text).message).toBe(
      'only the following media types are accepted: application/json, application/yaml, text/plain',
    );
  });

  test.each([
    ['*/*', 'text/plain; charset=utf-8'],
    ['text/*', 'text/plain; charset=utf-8'],
    [`text/html,${form('application/json', kind)}`, `application/json;g=config.k8s.io;v=v1beta1;as=${kind}`],
    [`${form('application/yaml', kind)},text/plain`, `application/yaml;g=config.k8s.io;v=v1beta1;as=${kind}`],
  ])('for %s is %s', async (accept, type) => {
    const { status, headers } = await ask(path, accepting(accept));
    expect([status, headers.get('content-type')]).toEqual([200, type]);
  });

  test('answers every method, at this path only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) expect((await ask(path, { method })).status).toBe(200);
    expect((await ask(`${path}/`)).status).toBe(404);
    expect((await ask(`${path}/x`)).status).toBe(404);
  });

  test('is for users with the right to the path', async () => {
    const api = apiOf(server);
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const name = kind.toLowerCase();
    await api.post(accounts, { metadata: { name } });
    const { token } = (await api.post(`${accounts}/${name}/token`, { spec: {} })).body.status;
    expect((await secureCall(server, 'GET', path, { headers: bearer(token) })).status).toBe(403);
    await api.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:monitoring' },
      subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
    });
    expect((await secureCall(server, 'GET', path, { headers: bearer(token) })).status).toBe(200);
  });
});

test('flags are shown by name, as text and as an object', async () => {
  const { text } = await ask('/flagz');
  expect(text).toMatch(/^\napiserver flagz\nWarning: .*\nbind-address(:|: |=| )127\.0\.0\.1\nv\1{1}2\n$/);
  const object = JSON.parse((await ask('/flagz', accepting(form('application/json', 'Flagz')))).text);
  expect(object).toEqual({
    kind: 'Flagz',
    apiVersion: 'config.k8s.io/v1beta1',
    metadata: { name: 'apiserver' },
    flags: { 'bind-address': '127.0.0.1', v: '2' },
  });
});

test('the pages are there by their gates only', async () => {
  await using other = await startTestServer({ featureGates: { ComponentStatusz: false, ComponentFlagz: false } });
  for (const path of ['/statusz', '/flagz']) expect((await other.fetch(path)).status).toBe(404);
});

describe('paths of the server', () => {
  test('are as many as those of the reference', async () => {
    const { paths } = JSON.parse((await ask('/')).text) as { readonly paths: readonly string[] };
    for (const path of ['/apis', '/apis/', '/openapi/v3', '/openapi/v3/', '/statusz', '/flagz', '/metrics/slis'])
      expect(paths).toContain(path);
    expect(paths).toEqual([...paths].sort());
    // checks of the disk and of threads are our own
    const own = ['/readyz/disk-space', '/readyz/threads'];
    expect(paths.filter((path) => !own.includes(path))).toHaveLength(165);
  });

  test.each(['POST', 'PUT'])('that are plain pages answer %s', async (method) => {
    for (const path of [
      '/',
      '/index.html',
      '/metrics',
      '/metrics/slis',
      '/apis',
      '/apis/',
      '/apis/apps',
      '/openapi/v3',
    ])
      expect([path, (await ask(path, { method })).status]).toEqual([path, 200]);
  });

  test.each(['POST', 'PUT', 'DELETE'])('that are documents refuse %s', async (method) => {
    for (const path of ['/version', '/version/', '/api', '/apis/apps/v1', '/api/v1', '/openid/v1/jwks'])
      expect([path, (await ask(path, { method })).status]).toEqual([path, 405]);
  });

  test('end with a slash only where they are documents', async () => {
    for (const path of ['/version/', '/api/', '/apis/', '/apis/apps/', '/api/v1/', '/openid/v1/jwks/'])
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    for (const path of ['/healthz/', '/healthz/ping/', '/metrics/', '/metrics/slis/', '/openapi/v2/', '/openapi/v3/'])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
  });
});
