// Admission webhooks through the API. Spec: "AdmissionReview", "Webhook configuration", "Outbound calls", "Errors", "Limits",
// "Versioning", "Events".

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { expectLess, unhinderedMs } from '../../src/testing/processor-time.ts';
import { etcdHint, hasEtcd, startEtcd } from '../etcd-process.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { AdmissionHooks, allow, configurations, type HookAnswer, install, label, patchOf } from './admission-hooks.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let folder: TempFolder;
let server: Server;
let api: Api;
let hooks: AdmissionHooks;
let auditLog: string;

beforeAll(async () => {
  folder = new TempFolder();
  hooks = await AdmissionHooks.open();
  auditLog = join(folder.path, 'audit.log');
  const rules = [{ level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }] }, { level: 'Request' }];
  const users = [{ name: `127.0.0.1:${hooks.peer.port}`, user: { token: 'the-server' } }];
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    kubeConfigFile: folder.write('users', JSON.stringify({ kind: 'Config', users })),
  };
  server = await startTestServer({
    controllers: [],
    admissionControlConfigFile: folder.write(
      'admission',
      JSON.stringify({
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'AdmissionConfiguration',
        plugins: [{ name: 'ValidatingAdmissionWebhook', configuration }],
      }),
    ),
    runtimeConfig: { 'admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations': true },
    audit: {
      policyFile: folder.write('policy', JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules })),
      log: { path: auditLog },
    },
  });
  api = apiOf(server);
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function home(name: string): Promise<string> {
  await api.post('/api/v1/namespaces', { metadata: { name } });
  return `/api/v1/namespaces/${name}/configmaps`;
}
const map = (name: string, metadata: object = {}) => ({
  metadata: { name, labels: { own: 'x' }, ...metadata },
  data: { a: '1' },
});

describe('what a webhook is asked', () => {
  test('a create, an update, a patch and a delete, each with objects, options and the caller', async () => {
    const path = await home('asked');
    const operations = ['CREATE', 'UPDATE', 'DELETE'];
    const rules = [{ operations, apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    await install(
      api,
      'validating',
      'asked',
      hooks.hook('/asked/review', () => allow, { rules }),
    );
    await api.post(`${path}?fieldManager=me`, map('one'));
    await api.patch('merge', `${path}/one?dryRun=All`, { data: { b: '2' } });
    await api.delete(`${path}/one`, { gracePeriodSeconds: 0 });
    const [created, patched, removed] = hooks.asked('/asked/review');
    const about = { group: '', version: 'v1' };
    expect(created).toEqual({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: { ...about, kind: 'ConfigMap' },
      resource: { ...about, resource: 'configmaps' },
      requestKind: { ...about, kind: 'ConfigMap' },
      requestResource: { ...about, resource: 'configmaps' },
      name: 'one',
      namespace: 'asked',
      operation: 'CREATE',
      userInfo: expect.objectContaining({ username: expect.any(String), groups: expect.any(Array) }),
      object: expect.objectContaining({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } }),
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
    });
    expect(patched).toMatchObject({
      operation: 'UPDATE',
      dryRun: true,
      object: { data: { a: '1', b: '2' } },
      oldObject: { data: { a: '1' } },
      options: { kind: 'UpdateOptions', dryRun: ['All'] },
    });
    expect(removed).toMatchObject({
      operation: 'DELETE',
      object: null,
      oldObject: { data: { a: '1' } },
      options: { kind: 'DeleteOptions', gracePeriodSeconds: 0 },
    });
    expect(new Set(hooks.asked('/asked/review').map(({ uid }) => uid)).size).toBe(3);
  });

  test('a namespace is in itself, and a subresource is named', async () => {
    const rules = [
      { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['namespaces', '*/scale', '*/status'] },
    ];
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'itself' } };
    await install(
      api,
      'validating',
      'itself',
      hooks.hook('/itself/review', () => allow, { rules, namespaceSelector }),
    );
    await home('itself');
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { selector: { matchLabels: { a: 'b' } }, template };
    await api.post('/apis/apps/v1/namespaces/itself/deployments', { metadata: { name: 'd' }, spec });
    await api.patch('merge', '/apis/apps/v1/namespaces/itself/deployments/d/scale', { spec: { replicas: 3 } });
    const [namespace, scale] = hooks.asked('/itself/review');
    expect(namespace).toMatchObject({ operation: 'CREATE', name: 'itself', namespace: 'itself' });
    expect(scale).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      ...{ subResource: 'scale', requestSubResource: 'scale', name: 'd' },
      object: { kind: 'Scale', spec: { replicas: 3 } },
      oldObject: { kind: 'Scale', spec: { replicas: 1 } },
    });
  });

  test('a connection, with its options', async () => {
    await home('connected');
    const rules = [{ operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/*'] }];
    const no: HookAnswer = () => ({ allowed: false, status: { message: 'no shells', code: 451, reason: 'Law' } });
    await install(api, 'validating', 'connected', hooks.hook('/connected/review', no, { rules }));
    const shell = '/api/v1/namespaces/connected/pods/p/exec?command=ls&command=-l&stdin=true&container=c';
    const { status, body } = await api.call('POST', shell);
    expect([status, body.reason, body.message]).toEqual([
      451,
      'Law',
      'admission webhook "connected-review.hooks.example.com" denied the request: no shells',
    ]);
    expect(hooks.asked('/connected/review')[0]).toMatchObject({
      operation: 'CONNECT',
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      ...{ subResource: 'exec', name: 'p', namespace: 'connected', oldObject: null, options: null },
      object: { kind: 'PodExecOptions', apiVersion: 'v1', command: ['ls', '-l'], stdin: true, container: 'c' },
    });
    await api.get('/api/v1/namespaces/connected/pods/p/proxy/metrics?path=/other');
    expect(hooks.asked('/connected/review')[1]?.object).toMatchObject({ kind: 'PodProxyOptions', path: '/metrics' });
  });

  test('in the first version that both know, with the time there is, and as the user for that host', async () => {
    const path = await home('versions');
    let authorization: string | undefined;
    const seen: HookAnswer = (_review, _response, { headers }) => {
      authorization = headers.authorization;
      return { ...allow, uid: 'the server checks it in v1 only' };
    };
    const versions = { admissionReviewVersions: ['v9', 'v1beta1', 'v1'], timeoutSeconds: 20 };
    await install(api, 'validating', 'versions', hooks.hook('/versions/review', seen, versions));
    expect((await api.post(`${path}?timeout=15s`, map('one'))).status).toBe(201);
    const { review, query } = hooks.reviews.find((one) => one.path === '/versions/review') ?? {};
    // what is left of them
    expect([review.apiVersion, query]).toEqual(['admission.k8s.io/v1beta1', expect.stringMatching(/^timeout=1\ds$/)]);
    expect(authorization).toBe('Bearer the-server');
  });
});

describe('changes', () => {
  test('webhooks are called by the names of configurations, and each sees what those before it changed', async () => {
    const path = await home('order');
    const append: HookAnswer = ({ request }) =>
      label('seen', `${request.object.metadata.labels.seen ?? ''}${request.object.data.a}`);
    await install(api, 'mutating', 'order-b', hooks.hook('/order/b', append));
    await install(api, 'mutating', 'order-a', hooks.hook('/order/a1', append), hooks.hook('/order/a2', append));
    const { body } = await api.post(path, map('one'));
    expect(body.metadata.labels).toEqual({ own: 'x', seen: '111' });
    const called = hooks.reviews.filter((one) => one.path.startsWith('/order')).map((one) => one.path);
    expect(called).toEqual(['/order/a1', '/order/a2', '/order/b']);
  });

  test('what a patch leaves open gets its defaults, and what it adds beyond the schema is dropped', async () => {
    await home('defaults');
    const service = { op: 'add', path: '/spec/ports/-', value: { port: 81, name: 'more', odd: 1 } };
    const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['services'] }];
    await install(
      api,
      'mutating',
      'defaults',
      hooks.hook('/defaults/p', () => patchOf(service), { rules }),
    );
    const ports = [{ port: 80, name: 'first' }];
    const { body } = await api.post('/api/v1/namespaces/defaults/services', {
      metadata: { name: 's' },
      spec: { ports },
    });
    expect(body.spec.ports[1]).toEqual({ name: 'more', protocol: 'TCP', port: 81, targetPort: 81 });
  });

  test('a webhook that wants it is called again after a later one changed something, once', async () => {
    const path = await home('again');
    const count: HookAnswer = ({ request }) => label('a', `${Number(request.object.metadata.labels.a ?? 0) + 1}`);
    const change: HookAnswer = () => label('b', 'x');
    await install(
      api,
      'mutating',
      'again',
      hooks.hook('/again/first', count, { reinvocationPolicy: 'IfNeeded' }),
      hooks.hook('/again/never', () => allow),
      hooks.hook('/again/later', change),
    );
    const { body } = await api.post(path, map('one'));
    expect(body.metadata.labels).toEqual({ own: 'x', a: '2', b: 'x' });
    const called = hooks.reviews.filter((one) => one.path.startsWith('/again')).map((one) => one.path);
    expect(called).toEqual(['/again/first', '/again/never', '/again/later', '/again/first']);
  });

  test('a rule may name another version of the resource: the object is converted there and back', async () => {
    await home('equivalent');
    const rules = [
      {
        operations: ['CREATE'],
        apiGroups: ['autoscaling'],
        apiVersions: ['v1'],
        resources: ['horizontalpodautoscalers'],
      },
    ];
    const patch = patchOf({ op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 33 });
    const exact = hooks.hook('/equivalent/exact', () => allow, { rules, matchPolicy: 'Exact' });
    await install(
      api,
      'mutating',
      'equivalent',
      exact,
      hooks.hook('/equivalent/any', () => patch, { rules }),
    );
    const target = { type: 'Utilization', averageUtilization: 50 };
    const spec = {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    };
    const path = '/apis/autoscaling/v2/namespaces/equivalent/horizontalpodautoscalers';
    const { body } = await api.post(path, { metadata: { name: 'h' }, spec });
    expect(body).toMatchObject({
      apiVersion: 'autoscaling/v2',
      spec: { metrics: [{ resource: { target: { averageUtilization: 33 } } }] },
    });
    expect(hooks.asked('/equivalent/exact')).toEqual([]);
    expect(hooks.asked('/equivalent/any')[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1' },
      requestKind: { group: 'autoscaling', version: 'v2' },
      resource: { version: 'v1' },
      requestResource: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 50 } },
    });
  });

  test.each<[string, object, string]>([
    [
      'no base64',
      { allowed: true, patchType: 'JSONPatch', patch: '{}' },
      'failed to call webhook: illegal base64 data at input byte 0',
    ],
    [
      'no list',
      { allowed: true, patchType: 'JSONPatch', patch: 'e30=' },
      'received undecodable patch in webhook response',
    ],
    ['without a type', { allowed: true, patch: 'W10=' }, 'webhook returned response.patch but not response.patchType'],
    ['of another type', { ...patchOf({}), patchType: 'Merge' }, 'unsupported patch type "Merge"'],
    ['that does not fit', patchOf({ op: 'remove', path: '/nowhere' }), 'Internal error occurred: '],
    ['that makes nonsense', patchOf({ op: 'replace', path: '/data', value: 7 }), 'Internal error occurred: '],
    [
      'to another kind',
      patchOf({ op: 'replace', path: '/kind', value: 'Pod' }),
      'converting (v1.Pod) to (core.ConfigMap)',
    ],
    [
      'with a prototype',
      patchOf({ op: 'add', path: '/data/__proto__', value: { a: 'b' } }),
      'Internal error occurred: ',
    ],
  ])('a patch %s fails the request', async (what, answer, message) => {
    const name = `patch-${what.replaceAll(' ', '-')}`;
    const path = await home(name);
    await install(
      api,
      'mutating',
      name,
      hooks.hook(`/${name}/p`, () => answer),
    );
    const { status, body } = await api.post(path, map('one'));
    expect([status, body.kind]).toEqual([500, 'Status']);
    expect(body.message).toContain(message);
    expect((await api.get(`${path}/one`)).status).toBe(404);
  });

  test('no patch moves an object to another namespace', async () => {
    const path = await home('moving');
    const move = patchOf({ op: 'replace', path: '/metadata/namespace', value: 'default' });
    await install(
      api,
      'mutating',
      'moving',
      hooks.hook('/moving/p', () => move),
    );
    const { body } = await api.post(path, map('one'));
    expect([body.code, body.message]).toEqual([
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
    expect((await api.get('/api/v1/namespaces/default/configmaps/one')).status).toBe(404);
  });

  test('what is deleted cannot be changed, and a validating webhook may not try', async () => {
    const path = await home('fixed');
    const rules = [{ operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    await install(
      api,
      'mutating',
      'fixed',
      hooks.hook('/fixed/delete', () => label('a', 'b'), { rules }),
    );
    await install(
      api,
      'validating',
      'fixed',
      hooks.hook('/fixed/judge', () => label('a', 'b')),
    );
    expect((await api.post(path, map('one'))).body.message).toContain(
      'validating webhook may not return response.patch',
    );
    await api.delete(`${configurations.validating}/fixed`);
    await eventually(async () => expect((await api.post(path, map('one'))).status).toBe(201));
    expect((await api.delete(`${path}/one`)).body.message).toContain(
      'admission webhook "fixed-delete.hooks.example.com" attempted to modify the object, which is not supported for this operation',
    );
  });
});

describe('refusals', () => {
  test.each<[string, object | undefined, number, string | undefined, string]>([
    ['nothing', undefined, 400, undefined, 'denied the request without explanation'],
    ['a reason', { reason: 'Because' }, 400, 'Because', 'denied the request: Because'],
    ['all', { code: 403, reason: 'Forbidden', message: 'no' }, 403, 'Forbidden', 'denied the request: no'],
    ['a code of success', { code: 200, status: 'Success', message: 'no' }, 400, undefined, 'denied the request: no'],
    ['a code out of range', { code: 1000, message: 'no' }, 500, undefined, 'denied the request: no'],
  ])('that say %s', async (what, said, code, reason, message) => {
    const name = `refusal-${what.replaceAll(' ', '-')}`;
    const path = await home(name);
    const answer = { allowed: false, ...(said && { status: said }) };
    await install(
      api,
      'validating',
      name,
      hooks.hook(`/${name}/v`, () => answer),
    );
    const { status, body } = await api.post(path, map('one'));
    expect([status, body.code, body.reason, body.status]).toEqual([code, code, reason, 'Failure']);
    expect(body.message).toBe(`admission webhook "${name}-v.hooks.example.com" ${message}`);
  });

  test('validating webhooks are asked at once, on the object as it will be stored', async () => {
    const path = await home('parallel');
    let waiting: (() => void) | undefined;
    const both = () =>
      new Promise((resolve) => {
        if (waiting === undefined) waiting = () => resolve(allow);
        else {
          waiting();
          resolve(allow);
        }
      });
    const failurePolicy = 'Fail';
    await install(
      api,
      'validating',
      'parallel',
      hooks.hook('/parallel/one', both, { failurePolicy }),
      hooks.hook('/parallel/two', both, { failurePolicy }),
    );
    await install(
      api,
      'mutating',
      'parallel',
      hooks.hook('/parallel/m', () => label('a', 'b')),
    );
    expect((await api.post(path, map('one'))).status).toBe(201);
    expect(hooks.asked('/parallel/one')[0].object.metadata).toMatchObject({
      labels: { a: 'b' },
      uid: expect.any(String),
    });
  });
});

describe('calls that fail', () => {
  const failures: readonly [string, HookAnswer, string][] = [
    ['hangs', () => undefined, 'failed to call webhook: Post "https://127.0.0.1:'],
    ['closes', (_review, response) => void response.destroy(), ': EOF'],
    ['talks nonsense', (_review, response) => void response.end('nonsense'), 'json parse error'],
    [
      'redirects',
      (_review, response) => void response.writeHead(307, { location: 'https://127.0.0.1:1' }).end(),
      'status code 307, a redirect, which is not followed',
    ],
    ['fails', (_review, response) => void response.writeHead(500).end('oops'), 'an error on the server ("oops")'],
    [
      'answers something else',
      () => ({ allowed: true, uid: 'x' }),
      'received invalid webhook response: expected response.uid=',
    ],
    [
      'answers another kind',
      ({ request }, response) =>
        void response.end(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', response: { uid: request.uid, ...allow } })),
      'no kind "Pod" is registered for version "v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"',
    ],
    ['answers nothing', (_review, response) => void response.end('{}'), 'webhook response was absent'],
    [
      'answers no boolean',
      () => ({ allowed: 'yes' }),
      'json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
    ],
  ];

  test.each(failures)(
    'a webhook that %s fails the request, or not, as its configuration says',
    async (what, answer, why) => {
      const name = `failure-${what.replaceAll(' ', '-')}`;
      const path = await home(name);
      const strict = hooks.hook(`/${name}/v`, answer, { timeoutSeconds: what === 'hangs' ? 1 : 30 });
      await install(api, 'validating', name, strict);
      const { status, body } = await api.post(path, map('one'));
      expect([status, body.reason]).toEqual([500, 'InternalError']);
      const start = `Internal error occurred: failed calling webhook "${name}-v.hooks.example.com": `;
      expect(body.message.slice(0, start.length)).toBe(start);
      expect(body.message).toContain(why);
      expect((await api.get(`${path}/one`)).status).toBe(404);
      const ignoring = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }];
      await api.patch('json', `${configurations.validating}/${name}`, ignoring);
      await eventually(async () => expect((await api.post(path, map('one'))).status).toBe(201));
    },
  );

  test('a webhook that is this server, or nowhere, is not called', async () => {
    const path = await home('nowhere');
    for (const [url, why] of [
      [`https://127.0.0.1:${new URL(server.url ?? '').port}/api`, 'address not allowed'],
      ['https://127.0.0.1:1/', 'connect: connection refused'],
    ]) {
      await install(
        api,
        'validating',
        'nowhere',
        hooks.hook('/nowhere/v', () => allow, { clientConfig: { url } }),
      );
      expect((await api.post(path, map('one'))).body.message).toContain(why);
      await api.delete(`${configurations.validating}/nowhere`);
    }
    const service = { namespace: 'nowhere', name: 'gone', path: '/x' };
    await install(
      api,
      'validating',
      'nowhere',
      hooks.hook('/nowhere/v', () => allow, { clientConfig: { service } }),
    );
    expect((await api.post(path, map('one'))).body.message).toContain(
      'Post "https://gone.nowhere.svc:443/x?timeout=10s": service "gone" not found',
    );
  });

  test('a webhook that uses this server waits for nothing but its own answer', async () => {
    const path = await home('circle');
    const write: HookAnswer = async ({ request }) => {
      const depth = Number(request.object.data.depth ?? 0);
      if (depth < 3) await api.post(path, { ...map(`deep-${depth + 1}`), data: { depth: `${depth + 1}` } });
      return allow;
    };
    await install(api, 'validating', 'circle', hooks.hook('/circle/v', write));
    expect((await api.post(path, map('one'))).status).toBe(201);
    expect((await api.get(`${path}/deep-3`)).status).toBe(200);
  });
});

describe('which requests are seen', () => {
  test('those whose conditions hold', async () => {
    const path = await home('conditions');
    const condition = (expression: string) => ({ matchConditions: [{ name: 'c', expression }] });
    const [refuse, name]: [HookAnswer, string] = [() => ({ allowed: false }), 'conditions'];
    const hidden = "!object.metadata.name.startsWith('hidden') && request.operation == 'CREATE'";
    await install(api, 'validating', name, hooks.hook('/conditions/v', refuse, condition(hidden)));
    expect((await api.post(path, map('hidden-one'))).status).toBe(201);
    expect((await api.post(path, map('one'))).status).toBe(400);
    await api.delete(`${configurations.validating}/${name}`);
    await install(
      api,
      'validating',
      name,
      hooks.hook('/conditions/w', refuse, condition("object.data.missing == 'x'")),
    );
    const failed = await api.post(path, map('two'));
    expect([failed.status, failed.body.message]).toEqual([
      403,
      expect.stringContaining('configmaps "two" is forbidden: '),
    ]);
  });

  test('those whose objects have the labels, before or after', async () => {
    const path = await home('labels');
    const objectSelector = { matchLabels: { watched: 'yes' } };
    await install(
      api,
      'validating',
      'labels',
      hooks.hook('/labels/v', () => allow, { objectSelector }),
    );
    await api.post(path, map('one'));
    await api.post(path, map('two', { labels: { watched: 'yes' } }));
    await api.patch('merge', `${path}/two`, { metadata: { labels: { watched: null } } });
    expect(hooks.asked('/labels/v').map(({ operation }) => operation)).toEqual(['CREATE', 'UPDATE']);
  });

  test('never configurations of admission themselves', async () => {
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], scope: 'Cluster' }];
    const refuse: HookAnswer = ({ request }) => ({
      allowed: request.resource.resource !== 'validatingwebhookconfigurations',
    });
    await install(api, 'validating', 'locked', hooks.hook('/locked/v', refuse, { rules, namespaceSelector: {} }));
    expect((await api.delete(`${configurations.validating}/locked`)).status).toBe(200);
    expect(hooks.asked('/locked/v')).toEqual([]);
  });

  test('no dry run, where a webhook may have effects', async () => {
    const path = await home('effects');
    const old = '/apis/admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations';
    const webhook = hooks.hook('/effects/v', () => allow, { sideEffects: 'Some' });
    expect((await api.post(old, { metadata: { name: 'effects' }, webhooks: [webhook] })).status).toBe(201);
    const dry = await api.post(`${path}?dryRun=All`, map('one'));
    expect([dry.status, dry.body.message]).toEqual([
      400,
      'admission webhook "effects-v.hooks.example.com" does not support dry run',
    ]);
    expect(hooks.asked('/effects/v')).toEqual([]);
    expect((await api.post(path, map('one'))).status).toBe(201);
  });
});

describe('what is told', () => {
  test('warnings reach the client, long ones cut where there are many', async () => {
    const path = await home('warned');
    const long = (letter: string) => letter.repeat(2500);
    const warnings = (texts: string[]) => ({ ...allow, warnings: texts });
    const some: HookAnswer = ({ request }) =>
      warnings(request.name === 'few' ? ['take "care"', long('a')] : [long('b'), long('c'), 'short']);
    await install(api, 'validating', 'warned', hooks.hook('/warned/v', some));
    const few = (await api.post(path, map('few'))).headers.get('warning');
    expect(few).toBe(`299 - "take \\"care\\"", 299 - "${long('a')}"`);
    const many = (await api.post(path, map('many'))).headers.get('warning') ?? '';
    expect(many.match(/299 - /g)).toHaveLength(3);
    expect(many).toContain('299 - "short"');
    expect(many).not.toContain('b'.repeat(257));
  });

  test('warnings with control characters are left out, others are sent in UTF-8', async () => {
    const path = await home('strange');
    const answer = { ...allow, warnings: ['two\nlines', 'a bell \u0007', 'caf\u00e9 \u{1f600}', 'back\\slash'] };
    await install(
      api,
      'validating',
      'strange',
      hooks.hook('/strange/v', () => answer),
    );
    const header = (await api.post(path, map('one'))).headers.get('warning') ?? '';
    expect(Buffer.from(header, 'latin1').toString()).toBe('299 - "caf\u00e9 \u{1f600}", 299 - "back\\\\slash"');
  });

  test('audit knows what was called, what was changed and what failed', async () => {
    const path = await home('noted');
    const noted: HookAnswer = () => ({ ...label('a', 'b'), auditAnnotations: { why: 'so', 'not a/key': 'x' } });
    const rules = [
      { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'secrets'] },
    ];
    const failing = hooks.hook('/noted/f', (_review, response) => void response.destroy(), {
      failurePolicy: 'Ignore',
      rules,
    });
    await install(api, 'mutating', '0-noted', hooks.hook('/noted/m', noted, { rules }), failing);
    await api.post(path, map('one'));
    await api.post('/api/v1/namespaces/noted/secrets', { metadata: { name: 'one', labels: { own: 'x' } } });
    const annotationsOf = (resource: string) => {
      const events = readFileSync(auditLog, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return events.find(
        ({ stage, objectRef, verb }) =>
          stage === 'ResponseComplete' &&
          verb === 'create' &&
          objectRef?.namespace === 'noted' &&
          objectRef.resource === resource,
      )?.annotations;
    };
    const webhook = { configuration: '0-noted', webhook: 'noted-m.hooks.example.com' };
    const patch = [{ op: 'add', path: '/metadata/labels/a', value: 'b' }];
    await eventually(async () => {
      const found = annotationsOf('configmaps');
      expect(JSON.parse(found['mutation.webhook.admission.k8s.io/round_0_index_0'])).toEqual({
        ...webhook,
        mutated: true,
      });
      expect(JSON.parse(found['patch.webhook.admission.k8s.io/round_0_index_0'])).toEqual({
        ...webhook,
        patch,
        patchType: 'JSONPatch',
      });
      expect(found['noted-m.hooks.example.com/why']).toBe('so');
      expect(found['failed-open.mutation.webhook.admission.k8s.io/round_0_index_1']).toBe('noted-f.hooks.example.com');
      expect(Object.keys(found).filter((key) => key.includes('not a'))).toEqual([]);
    });
    await eventually(async () => {
      const found = annotationsOf('secrets');
      expect(found).toHaveProperty(['mutation.webhook.admission.k8s.io/round_0_index_0']);
      expect(Object.keys(found).filter((key) => key.startsWith('patch.'))).toEqual([]);
    });
  });

  test('metrics count calls, refusals and failures', async () => {
    const path = await home('counted');
    const refuse: HookAnswer = () => ({ allowed: false, status: { code: 700 } });
    const broken: HookAnswer = (_review, response) => void response.destroy();
    const ignoring = hooks.hook('/counted/open', broken, { failurePolicy: 'Ignore' });
    await install(api, 'validating', 'counted', ignoring, hooks.hook('/counted/v', refuse));
    await api.post(path, map('one'));
    const { body } = await api.get('/metrics');
    const about = (name: string, type = 'validating') => `name="counted-${name}.hooks.example.com",type="${type}"`;
    const refused = `${about('v')},operation="CREATE",error_type="no_error",rejection_code="600"`;
    expect(body).toContain(`apiserver_admission_webhook_rejection_count{${refused}} 1`);
    expect(body).toContain(`apiserver_admission_webhook_fail_open_count{${about('open')}} 1`);
    expect(body).toContain(
      `apiserver_admission_webhook_request_total{${about('open')},operation="CREATE",code="503",rejected="false"} 1`,
    );
    expect(body).toContain(
      `apiserver_admission_webhook_admission_duration_seconds_count{${about('v')},operation="CREATE",rejected="true"} 1`,
    );
  });
});

describe.skipIf(!hasEtcd)(`replicas on ${etcdHint}`, () => {
  test('each of them calls a webhook within a second of its configuration, and stops with it', async () => {
    await using etcd = await startEtcd({ args: ['--unsafe-no-fsync'] });
    const options = { store: 'etcd', etcdServers: [etcd.url], shutdownGraceSeconds: 0.1 } as const;
    await using one = await createServer(options);
    await using two = await createServer(options);
    const [first, second] = [apiOf(one), apiOf(two)];
    const refuse: HookAnswer = () => ({ allowed: false });
    const create = async () =>
      (await second.post('/api/v1/namespaces/default/configmaps?dryRun=All', map('one'))).status;
    const until = async (status: number) => {
      const begun = unhinderedMs();
      await eventually(async () => expect(await create()).toBe(status));
      return unhinderedMs() - begun;
    };
    await expectLess(1000, async () => {
      await install(first, 'validating', 'everywhere', hooks.hook('/default/everywhere', refuse));
      const called = await until(400);
      await first.delete(`${configurations.validating}/everywhere`);
      return Math.max(called, await until(201));
    });
  });
});
