// The test kit as its users have it: what `keelson/testing` exports, against one server.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { connect, loadKubeconfig } from '../../src/index.ts';
import { type KindOf, startTestServer, type TestServer } from '../../src/testing/index.ts';
import { expectLess, processorMs } from '../../src/testing/processor-time.ts';
import { credentialsOf } from './credentials.ts';
import { turns } from './eventually.ts';
import { secureCall } from './secure-call.ts';

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.com
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, properties: { size: { type: integer } } }
`;
// objects before what they need: their order does not matter
const seed = `
apiVersion: example.com/v1
kind: Widget
metadata: { name: first, namespace: shop }
spec: { size: 3 }
---
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop }
spec: { containers: [{ name: web, image: nginx }] }
---
apiVersion: v1
kind: Namespace
metadata: { name: shop }
`;

interface Widget {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly size: number };
}

const folder = mkdtempSync(join(tmpdir(), 'keelson-kit-'));
let server: TestServer;

beforeAll(async () => {
  writeFileSync(join(folder, 'widgets.yaml'), widgets);
  writeFileSync(join(folder, 'notes.txt'), 'no manifest');
  writeFileSync(join(folder, 'seed.list'), seed);
  server = await startTestServer({ manifests: [folder, join(folder, 'seed.list')] });
});
afterEach(() => server.reset());
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const configMap = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data });

describe('a test server', () => {
  test('starts with its manifests, whatever their order', async () => {
    const widget = await server.client.resource<Widget>('example.com/v1', 'widgets', 'shop').get('first');
    expect(widget.spec.size).toBe(3);
    expect((await server.client.pods('shop').get('web')).status?.phase).toBe('Pending');
  });

  test('applies more while it runs, as text and as objects', async () => {
    await server.apply('apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { x: "1" }\n');
    await server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-', namespace: 'shop' } });
    expect((await server.client.configmaps('default').get('a')).data).toEqual({ x: '1' });
    const names = (await server.client.configmaps('shop').list()).map(({ metadata }) => metadata.name ?? '');
    expect(names.some((name) => name.startsWith('made-'))).toBe(true);
    await expect(server.apply('kind: ConfigMap')).rejects.toThrow('needs apiVersion, kind and metadata');
    await expect(server.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Bad Name' } })).rejects.toThrow(
      'Invalid value: "Bad Name"',
    );
  });

  test('has a client that knows the built-in kinds by type', async () => {
    const { client } = server;
    const made = await client.deployments('default').create({
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'nginx', ports: [{ containerPort: 80 }] }] },
        },
      },
    });
    expectTypeOf(made.spec?.template?.spec?.containers?.[0]?.ports?.[0]?.containerPort).toEqualTypeOf<
      number | undefined
    >();
    expectTypeOf<KindOf<'pods'>['metadata']['uid']>().toEqualTypeOf<string | undefined>();
    expect(made.spec?.strategy?.type).toBe('RollingUpdate');
    await client.deployments('default').merge('web', { spec: { replicas: 3 }, metadata: { labels: { app: null } } });
    await client.deployments('default').mergeStatus('web', { status: { readyReplicas: 1, replicas: 1 } });
    const changed = await client.deployments('default').get('web');
    expect([changed.spec?.replicas, changed.status?.readyReplicas, changed.metadata.labels]).toEqual([3, 1, undefined]);
    await client.deployments('default').replaceStatus({ ...changed, status: { replicas: 3, readyReplicas: 3 } });
    await client
      .deployments('default')
      .replace({ ...(await client.deployments('default').get('web')), spec: { ...changed.spec, paused: true } });
    const [listed] = await client.deployments().list({ fieldSelector: 'metadata.name=web' });
    expect([listed?.spec?.paused, listed?.status?.readyReplicas]).toEqual([true, 3]);
    await client.deployments('default').apply({ metadata: { name: 'web' }, spec: { ...changed.spec, replicas: 5 } });
    expect((await client.deployments('default').get('web')).spec?.replicas).toBe(5);
    await client.deployments('default').delete('web');
    expect(await client.deployments('default').find('web')).toBeUndefined();
    expect((await client.namespaces().get('shop')).status?.phase).toBe('Active');
  });

  test('streams changes to its client', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { type, object } of server.client.configmaps('shop').watch('0', stop.signal)) {
      if (object.metadata.name === 'kube-root-ca.crt') await server.client.configmaps('shop').create(configMap('late'));
      seen.push(`${type} ${object.metadata.name}`);
      if (object.metadata.name === 'late') stop.abort();
    }
    expect(seen).toEqual(['ADDED kube-root-ca.crt', 'ADDED late']);
  });

  test('keeps kubeconfigs in files that only their owner may read', async () => {
    const file = server.kubeconfigFile;
    expect(readFileSync(file, 'utf8')).toBe(server.kubeconfig);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(server.kubeconfigFile).toBe(file);
    const other = await startTestServer();
    const path = other.kubeconfigFile;
    await other.close();
    expect(existsSync(path)).toBe(false);
    expect(existsSync(file)).toBe(true);
  });

  test('acts as a user, in the process and over the port', async () => {
    const alice = server.asUser('alice', ['devs']);
    await expect(alice.client.configmaps('shop').list()).rejects.toThrow('User "alice" cannot list');
    await server.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: devs, namespace: shop }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: Group, name: devs }]
`);
    expect((await alice.client.configmaps('shop').list()).length).toBeGreaterThan(0);
    expect((await alice.fetch('/api/v1/namespaces/shop/secrets')).status).toBe(403);
    using outside = connect(await loadKubeconfig({ file: alice.kubeconfigFile }));
    const me = await outside.client.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    });
    expect(me['status']).toMatchObject({ userInfo: { username: 'alice', groups: ['devs', 'system:authenticated'] } });
    await expect(outside.client.list('/api/v1/namespaces/shop/secrets')).rejects.toThrow('"alice" cannot list');
  });

  test('waits for what a controller will do', async () => {
    setTimeout(() => void server.client.configmaps('shop').create(configMap('soon')), 20);
    const found = await server.eventually(() => server.client.configmaps('shop').get('soon'));
    expect(found.metadata.name).toBe('soon');
    expect(await server.eventually(async () => (await server.client.configmaps('shop').list()).length > 1)).toBe(true);
    const never = server.eventually(() => false, { timeoutMs: 30 });
    await expect(never).rejects.toThrow('not within 30 ms: it was still false');
    const failing = server.eventually(() => Promise.reject(new Error('no such pod')), { timeoutMs: 30 });
    await expect(failing).rejects.toThrow('not within 30 ms: no such pod');
  });
});

describe('reset', () => {
  test('brings back every object and tells watchers, again and again', async () => {
    const { client } = server;
    const before = (await client.configmaps('shop').list()).length;
    const web = await client.pods('shop').get('web');
    for (let round = 0; round < 3; round++) {
      await client.configmaps('shop').create(configMap('extra'));
      await client.pods('shop').delete('web', { gracePeriodSeconds: 0 });
      await server.reset();
      expect(await client.configmaps('shop').find('extra')).toBeUndefined();
      expect((await client.pods('shop').get('web')).metadata.uid).toBe(web.metadata.uid);
      expect((await client.configmaps('shop').list()).length).toBe(before);
    }
  });

  test('is seen by open watches as changes', async () => {
    const { client } = server;
    const stop = new AbortController();
    const { metadata } = await client.raw.list('/api/v1/namespaces/shop/configmaps');
    const events: string[] = [];
    const watching = (async () => {
      for await (const { type, object } of client.configmaps('shop').watch(metadata.resourceVersion, stop.signal)) {
        events.push(`${type} ${object.metadata.name}`);
        if (type === 'DELETED') stop.abort();
      }
    })();
    await client.configmaps('shop').create(configMap('extra'));
    await server.reset();
    await watching;
    expect(events).toEqual(['ADDED extra', 'DELETED extra']);
  });

  test('takes custom kinds, rights, quotas and addresses back too', async () => {
    const { client } = server;
    const snapshot = server.snapshot();
    const cron = widgets.replaceAll('widget', 'gadget').replaceAll('Widget', 'Gadget');
    const bob = server.asUser('bob');
    for (let round = 0; round < 2; round++) {
      await server.apply(cron);
      await server.apply({ apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'one' } });
      await client.resourcequotas('shop').create({ metadata: { name: 'few' }, spec: { hard: { configmaps: '2' } } });
      const isUsed = (configmaps: string) =>
        server.eventually(async () => {
          expect((await client.resourcequotas('shop').get('few')).status?.used).toEqual({ configmaps });
        });
      await isUsed('1');
      await client.configmaps('shop').create(configMap('second'));
      // the controller may have been counting once more, without what was stored meanwhile
      await isUsed('2');
      await turns();
      await expect(client.configmaps('shop').create(configMap('third'))).rejects.toThrow('exceeded quota');
      await client.clusterrolebindings().create({
        metadata: { name: 'bob' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
      });
      await bob.client.pods('shop').list();
      // among those that are never given by chance
      const service = { metadata: { name: 'web' }, spec: { clusterIP: '10.0.0.7', ports: [{ port: 80 }] } };
      await client.services('shop').create(service);
      await server.reset(snapshot);
      await expect(bob.client.pods('shop').list()).rejects.toThrow('cannot list');
      expect((await server.fetch('/apis/example.com/v1/gadgets')).status).toBe(404);
      await client.configmaps('shop').create(configMap('third'));
      // the address is free again
      await client.services('default').create(service);
      await server.reset(snapshot);
    }
  });

  test('takes a few milliseconds of processor time', async () => {
    const { client } = server;
    await expectLess(15, async () => {
      for (let i = 0; i < 10; i++) await client.configmaps('shop').create(configMap(`c${i}`));
      await client.pods('shop').delete('web', { gracePeriodSeconds: 0 });
      const began = processorMs();
      await server.reset();
      return processorMs() - began;
    });
  });

  test('forgets faults and the journal', async () => {
    server.faults.fail({ resource: 'configmaps' }, { times: Number.POSITIVE_INFINITY });
    server.faults.breakStore();
    await server.reset();
    await server.client.configmaps('shop').list();
    expect(server.journal.requests().map(({ verb }) => verb)).toEqual(['list']);
  });
});

describe('faults', () => {
  test('fail the nth request that matches, and no other', async () => {
    const { client } = server;
    const fault = server.faults.fail({ verb: 'create', resource: 'configmaps' }, { nth: 2, status: 409, times: 2 });
    await client.configmaps('shop').create(configMap('one'));
    for (const name of ['two', 'three']) {
      const failed = client.configmaps('shop').create(configMap(name));
      await expect(failed).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
    }
    await client.configmaps('shop').create(configMap('two'));
    expect(fault.hits).toBe(2);
    expect(await client.configmaps('shop').find('three')).toBeUndefined();
  });

  test('tell clients when to come back, with words of the test', async () => {
    server.faults.fail({ user: 'carol' }, { status: 429, retryAfterSeconds: 7, message: 'slow down' });
    await server.client.clusterrolebindings().create({
      metadata: { name: 'carol' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'carol' }],
    });
    const answer = await server.asUser('carol').fetch('/api/v1/pods');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
    expect(((await answer.json()) as { message: string }).message).toBe('slow down');
  });

  test('hold requests up', async () => {
    server.faults.delay({ verb: 'get', name: 'web' }, 60);
    const began = performance.now();
    await server.client.pods('shop').get('web');
    expect(performance.now() - began).toBeGreaterThan(55);
  });

  test('drop requests before and after they are done', async () => {
    const { client } = server;
    server.faults.drop({ verb: 'create', resource: 'configmaps' });
    await expect(client.configmaps('shop').create(configMap('lost'))).rejects.toThrow('fetch failed');
    expect(await client.configmaps('shop').find('lost')).toBeUndefined();
    server.faults.drop({ verb: 'create', resource: 'configmaps' }, { what: 'answer' });
    await expect(client.configmaps('shop').create(configMap('done'))).rejects.toThrow('fetch failed');
    expect((await client.configmaps('shop').find('done'))?.metadata.name).toBe('done');
    expect(server.journal.requests({ verb: 'create' }).map(({ status }) => status)).toEqual([0, 0]);
  });

  test('drop requests over HTTP/1.1 and HTTP/2 without a word', async () => {
    const { cert, key, ca } = credentialsOf(server.kubeconfig);
    const pair = { certificate: cert.toString(), privateKey: key.toString() };
    const fault = server.faults.drop({ path: '/version' }, { times: 2 });
    await expect(secureCall(server, 'GET', '/version', { pair })).rejects.toThrow(/socket hang up|ECONNRESET/);
    const session = connectHttp2(server.url, { ca, cert, key });
    const stream = session.request({ ':path': '/version' });
    const error = await new Promise<Error>((resolve) => stream.on('error', resolve));
    expect(error.message).toContain('NGHTTP2_INTERNAL_ERROR');
    const next = session.request({ ':path': '/version' });
    expect(await new Promise((resolve) => next.on('response', (headers) => resolve(headers[':status'])))).toBe(200);
    next.close();
    await new Promise<void>((resolve) => session.close(() => resolve()));
    expect(fault.hits).toBe(2);
  });

  test('end watches, and tell them 410', async () => {
    const { client } = server;
    const { metadata } = await client.raw.list('/api/v1/namespaces/shop/configmaps');
    const watched = async (begun: () => void) => {
      const seen: string[] = [];
      const stop = new AbortController();
      for await (const { type, object } of client.configmaps('shop').watch(metadata.resourceVersion, stop.signal)) {
        const { code, reason } = object as { code?: number; reason?: string };
        seen.push(code === undefined ? `${type} ${object.metadata.name}` : `${type} ${code} ${reason}`);
        if (code === undefined) begun();
      }
      return seen;
    };
    await client.configmaps('shop').create(configMap('x'));
    expect(await watched(() => server.faults.endWatches({ resource: 'configmaps' }))).toEqual(['ADDED x']);
    expect(await watched(() => server.faults.endWatches({ resource: 'pods' }) ?? server.faults.endWatches())).toEqual([
      'ADDED x',
    ]);
    expect(await watched(() => server.faults.expireWatches())).toEqual(['ADDED x', 'ERROR 410 Expired']);
  });

  test('compact history, so that old versions are gone', async () => {
    const { client } = server;
    const path = '/api/v1/namespaces/shop/configmaps';
    const { metadata } = await client.raw.list(path);
    await client.configmaps('shop').create(configMap('a'));
    const page = await client.raw.list(`${path}?limit=1`);
    await client.configmaps('shop').create(configMap('b'));
    await server.faults.compact();
    const events: unknown[] = [];
    for await (const event of client.raw.watch(path, metadata.resourceVersion, new AbortController().signal))
      events.push(event);
    expect(events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    const next = client.raw.list(`${path}?limit=1&continue=${encodeURIComponent(page.metadata.continue ?? '')}`);
    await expect(next).rejects.toMatchObject({ code: 410 });
    expect((await client.configmaps('shop').list()).length).toBe(3);
  });

  test('end the time of tokens that were issued', async () => {
    const account = '/api/v1/namespaces/shop/serviceaccounts/default/token';
    const tokenOf = async () => ((await server.client.raw.create(account, {}))['status'] as { token: string }).token;
    const status = async (token: string) =>
      (await secureCall(server, 'GET', '/apis', { headers: { authorization: `Bearer ${token}` } })).status;
    const old = await tokenOf();
    expect(await status(old)).toBe(200);
    server.faults.expireTokens();
    expect(await status(old)).toBe(401);
    expect(await status(await tokenOf())).toBe(200);
    const review = await server.client.tokenreviews().create({ spec: { token: old } });
    expect(review.status).toMatchObject({ error: expect.stringContaining('has expired') });
  });

  test('break the store and mend it', async () => {
    const { client } = server;
    server.faults.breakStore({ writesOnly: true });
    await expect(client.configmaps('shop').create(configMap('x'))).rejects.toMatchObject({ code: 503 });
    await client.configmaps('shop').list();
    server.faults.breakStore();
    expect((await server.fetch('/readyz')).status).toBe(500);
    await expect(client.raw.get('/api/v1/namespaces/shop/configmaps?resourceVersion=')).rejects.toMatchObject({
      code: 503,
    });
    server.faults.mendStore();
    await server.eventually(() => client.configmaps('shop').create(configMap('x')));
    await server.eventually(async () => expect((await server.fetch('/readyz')).status).toBe(200));
  });
});

describe('the clock', () => {
  test('stops, goes on and can be set forward', async () => {
    const { clock, client } = server;
    clock.pause();
    const stopped = clock.now();
    const made = await client.configmaps('shop').create(configMap('a'));
    clock.advance(3_600_000);
    const later = await client.configmaps('shop').create(configMap('b'));
    const created = (object: typeof made) => Date.parse(object.metadata.creationTimestamp ?? '');
    expect(created(made)).toBe(Math.floor(stopped / 1000) * 1000);
    expect(created(later) - created(made)).toBe(3_600_000);
    expect(clock.now()).toBe(stopped + 3_600_000);
    clock.resume();
    expect(clock.now()).toBeGreaterThanOrEqual(stopped + 3_600_000);
    await server.eventually(() => clock.now() > stopped + 3_600_000);
  });
});

describe('the journal', () => {
  test('knows who wrote what', async () => {
    const { client, journal } = server;
    await client.clusterrolebindings().create({
      metadata: { name: 'operator' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'operator' }],
    });
    const operator = server.asUser('operator');
    await operator.client.configmaps('shop').create(configMap('made', { by: 'operator' }));
    await operator.client.configmaps('shop').merge('made', { data: { by: 'another' } });
    await expect(operator.client.configmaps('shop').create(configMap('made'))).rejects.toThrow('already exists');
    const [created] = journal.assertWrote({ user: 'operator', verb: 'create', resource: 'configmaps', name: 'made' });
    expect(created).toMatchObject({ namespace: 'shop', status: 201, sent: { data: { by: 'operator' } } });
    journal.assertWrote({ user: 'operator' }, { times: 2 });
    journal.assertDidNotWrite({ user: 'operator', resource: ['secrets', 'pods'] });
    expect(journal.requests({ user: 'operator', where: ({ verb }) => verb === 'create' })).toHaveLength(2);
    expect(() => journal.assertDidNotWrite({ user: 'operator', namespace: 'shop' })).toThrow(
      'expected no write with user operator, namespace shop, found 2:\n  operator create configmaps shop/made (201)',
    );
    expect(() => journal.assertWrote({ user: 'alice', resource: 'pods/status' })).toThrow(
      'expected a write with user alice, resource pods/status, found 0. Written were:\n  keelson-test create clusterrolebindings operator (201)',
    );
  });
});
