// The second document's sentences about admission webhooks, in each dialect: the same requests to a server of either.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, allow, type HookAnswer, label, patchOf } from './admission-hooks.ts';
import { type Api, apiOf, configMap } from './api.ts';
import { dialects } from './dialects.ts';

describe.each(dialects)('in the %s dialect', (name, dialect) => {
  const { apiDomain, labelDomain } = dialect;
  let server: Server;
  let api: Api;
  let hooks: AdmissionHooks;

  beforeAll(async () => {
    hooks = await AdmissionHooks.open();
    server = await startTestServer({ listen: false, dialect: name, controllers: [] });
    api = apiOf(server);
  });
  afterAll(async () => {
    await server.close();
    await hooks[Symbol.asyncDispose]();
  });

  /** A namespace with webhooks of its own, each called by its path. */
  async function install(
    type: 'mutating' | 'validating',
    home: string,
    ...webhooks: readonly (readonly [path: string, answer: HookAnswer, more?: object])[]
  ): Promise<string> {
    await api.post('/api/v1/namespaces', { metadata: { name: home } });
    const namespaceSelector = { matchLabels: { [`${labelDomain}/metadata.name`]: home } };
    const made = await api.post(`/apis/admissionregistration.${apiDomain}/v1/${type}webhookconfigurations`, {
      metadata: { name: `${home}-${type}` },
      webhooks: webhooks.map(([path, answer, more]) =>
        hooks.hook(`/${home}/${path}`, answer, { namespaceSelector, ...more }),
      ),
    });
    expect([made.status, made.body.message]).toEqual([201, undefined]);
    return `/api/v1/namespaces/${home}/configmaps`;
  }

  test('a review says what is asked for, by which user and with which objects', async () => {
    const rules = [
      { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'serviceaccounts/token'] },
    ];
    const path = await install('validating', 'seen', ['all', () => allow, { rules }]);
    const user = { name: 'ann', uid: 'u1', groups: ['system:masters', 'devs'], extra: { 'example.com/team': ['red'] } };
    const ann = apiOf({ fetch: (to, init) => server.fetch(to, { ...init, user }) });
    await ann.post(path, configMap('one', { a: '1' }));
    await api.put(`${path}/one?fieldManager=m`, configMap('one', { a: '2' }));
    await api.delete(`${path}/one`);
    const [create, update, remove] = hooks.asked('/seen/all');
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    expect(create).toMatchObject({
      ...{ operation: 'CREATE', namespace: 'seen', name: 'one', dryRun: false, uid: expect.any(String) },
      ...{ kind, resource, requestKind: kind, requestResource: resource },
      ...{ object: { data: { a: '1' } }, oldObject: null },
      options: { kind: 'CreateOptions', apiVersion: `meta.${apiDomain}/v1` },
    });
    const { name: username, ...others } = user;
    expect(create.userInfo).toEqual({ username, ...others });
    expect(update.uid).not.toBe(create.uid);
    expect(update).toMatchObject({
      ...{ operation: 'UPDATE', object: { data: { a: '2' } }, oldObject: { data: { a: '1' } } },
      options: { kind: 'UpdateOptions', fieldManager: 'm' },
    });
    expect(remove).toMatchObject({ operation: 'DELETE', object: null, oldObject: { data: { a: '2' } } });
    const accounts = '/api/v1/namespaces/seen/serviceaccounts';
    await api.post(accounts, { metadata: { name: 'a' } });
    await api.post(`${accounts}/a/token`, { spec: {} });
    expect(hooks.asked('/seen/all').at(-1)).toMatchObject({
      ...{ subResource: 'token', requestSubResource: 'token', name: 'a' },
      kind: { group: `authentication.${apiDomain}`, kind: 'TokenRequest' },
    });
  });

  test('a connection is reviewed with its options', async () => {
    const rules = [{ operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/*'] }];
    const no: HookAnswer = () => ({ allowed: false, status: { message: 'no shells', code: 451 } });
    await install('validating', 'connected', ['review', no, { rules }]);
    const { status, body } = await api.call('POST', '/api/v1/namespaces/connected/pods/p/exec?command=ls&command=-l');
    expect([status, body.message]).toEqual([451, expect.stringContaining('denied the request: no shells')]);
    expect(hooks.asked('/connected/review')).toMatchObject([
      {
        ...{ operation: 'CONNECT', subResource: 'exec', name: 'p', namespace: 'connected' },
        ...{ oldObject: null, options: null, object: { kind: 'PodExecOptions', command: ['ls', '-l'] } },
      },
    ]);
  });

  test('the first version that both know is spoken, and another version of the resource is converted', async () => {
    const rules = [
      {
        operations: ['CREATE'],
        apiGroups: ['autoscaling'],
        apiVersions: ['v1'],
        resources: ['horizontalpodautoscalers'],
      },
    ];
    const known = { admissionReviewVersions: ['v9', 'v1beta1', 'v1'], rules, matchPolicy: 'Equivalent' };
    await install('validating', 'older', ['all', () => allow, known]);
    const spec = { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };
    const made = await api.post('/apis/autoscaling/v2/namespaces/older/horizontalpodautoscalers', {
      ...{ metadata: { name: 'h' }, spec },
    });
    expect(made.status).toBe(201);
    const { review } = hooks.reviews.at(-1) ?? {};
    expect(review).toMatchObject({ apiVersion: `admission.${apiDomain}/v1beta1`, kind: 'AdmissionReview' });
    expect(review.request).toMatchObject({
      ...{ kind: { version: 'v1' }, requestKind: { version: 'v2' }, requestResource: { version: 'v2' } },
      object: { apiVersion: 'autoscaling/v1' },
    });
  });

  test('a patch changes the object, and a validating webhook may not patch', async () => {
    const path = await install('mutating', 'changed', [
      'all',
      () => patchOf({ op: 'add', path: '/data/more', value: 'x' }),
    ]);
    expect((await api.post(path, configMap('one', { a: '1' }))).body.data).toEqual({ a: '1', more: 'x' });
    await install('validating', 'refused', ['all', () => patchOf({ op: 'add', path: '/data/more', value: 'x' })]);
    const refused = await api.post('/api/v1/namespaces/refused/configmaps', configMap('one'));
    expect([refused.status, refused.body.message]).toEqual([500, expect.stringContaining('may not')]);
  });

  test('a webhook that gives no answer fails the request, or not, as its policy says', async () => {
    const broken: HookAnswer = (review) => ({ uid: `not ${review.request.uid}`, allowed: true });
    const silent: HookAnswer = (_, response) => void response.writeHead(500).end('broken');
    for (const [index, answer] of [broken, silent].entries()) {
      const fails = await install('validating', `fails-${index}`, ['all', answer, { failurePolicy: 'Fail' }]);
      expect((await api.post(fails, configMap('one'))).status).toBe(500);
      const goesOn = await install('validating', `ignored-${index}`, ['all', answer, { failurePolicy: 'Ignore' }]);
      expect((await api.post(goesOn, configMap('one'))).status).toBe(201);
    }
  });

  test('a refusal has the code and the message of the webhook, and is counted', async () => {
    const status = { code: 418, message: 'no coffee' };
    const path = await install('validating', 'tea', ['pot', () => ({ allowed: false, status })]);
    const { body } = await api.post(path, configMap('one'));
    expect([body.code, body.message]).toEqual([418, expect.stringMatching(/denied the request: no coffee$/)]);
    const { body: metrics } = await api.get('/metrics');
    const counted = /^apiserver_admission_webhook_rejection_count\{(.*name="tea-pot\..*)\} 1$/m.exec(metrics as string);
    for (const one of ['error_type="no_error"', 'operation="CREATE"', 'rejection_code="418"', 'type="validating"'])
      expect(counted?.[1]).toContain(one);
  });

  test('warnings are headers of code 299, long ones cut where there are many', async () => {
    const warnings = ['be careful', ...Array.from({ length: 5 }, (_, i) => String(i).repeat(1000))];
    const path = await install('validating', 'warned', ['all', () => ({ allowed: true, warnings })]);
    const { headers } = await api.post(path, configMap('one'));
    const shown = (headers.get('warning') ?? '').split(', ');
    expect(shown[0]).toBe('299 - "be careful"');
    expect(shown[1]).toBe(`299 - "${'0'.repeat(256)}"`);
    // all of them are short then, and what is beyond 4096 characters is left out
    const many = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i).repeat(1000));
    const crowded = await install('validating', 'crowded', ['all', () => ({ allowed: true, warnings: many })]);
    const sentWarnings = ((await api.post(crowded, configMap('one'))).headers.get('warning') ?? '').split(', ');
    expect(sentWarnings).toEqual(many.slice(0, 16).map((text) => `299 - "${text.slice(0, 256)}"`));
  });

  test('one that wants it is called again, and none with effects for a dry run', async () => {
    const again = { reinvocationPolicy: 'IfNeeded' };
    const path = await install('mutating', 'again', ['a', () => allow, again], ['b', () => label('b', '1')]);
    await api.post(path, { ...configMap('one'), metadata: { name: 'one', labels: { a: '1' } } });
    expect(hooks.asked('/again/a')).toHaveLength(2);
    const some = { sideEffects: 'NoneOnDryRun' };
    const dry = await install('validating', 'dry', ['all', () => allow, some]);
    expect((await api.post(`${dry}?dryRun=All`, configMap('one'))).status).toBe(201);
    expect(hooks.asked('/dry/all')).toMatchObject([{ dryRun: true }]);
  });

  test('a webhook is asked where the object or the old object has the labels, in namespaces with theirs', async () => {
    const objectSelector = { matchLabels: { watched: 'yes' } };
    const path = await install('validating', 'labelled', ['all', () => allow, { objectSelector }]);
    const labelled = (called: string, labels: object) => ({ ...configMap(called), metadata: { name: called, labels } });
    await api.post(path, configMap('plain'));
    await api.post(path, labelled('other', { watched: 'no' }));
    await api.post(path, labelled('one', { watched: 'yes' }));
    await api.patch('merge', `${path}/one`, { metadata: { labels: { watched: null } } });
    await api.patch('merge', `${path}/one`, { data: { a: '1' } });
    await api.post('/api/v1/namespaces/default/configmaps', labelled('elsewhere', { watched: 'yes' }));
    expect(hooks.asked('/labelled/all').map(({ operation, name: about }) => `${operation} ${about}`)).toEqual([
      'CREATE one',
      'UPDATE one',
    ]);
  });

  test('validating webhooks are asked at once', async () => {
    const waiting: (() => void)[] = [];
    // neither is answered before both were asked
    const together: HookAnswer = () =>
      new Promise((resolve) => {
        waiting.push(() => resolve(allow));
        if (waiting.length === 2) for (const answer of waiting) answer();
      });
    const path = await install('validating', 'together', ['one', together], ['two', together]);
    expect((await api.post(path, configMap('one'))).status).toBe(201);
    expect(waiting).toHaveLength(2);
    const refused = await install('validating', 'split', ['yes', () => allow], ['no', () => ({ allowed: false })]);
    expect((await api.post(refused, configMap('one'))).status).toBe(400);
    expect((await api.get(`${refused}/one`)).status).toBe(404);
  });

  test('only mutating webhooks have a policy of reinvocation', async () => {
    const registration = `/apis/admissionregistration.${apiDomain}/v1`;
    for (const [type, policy, status] of [
      ['mutating', 'Never', 201],
      ['mutating', 'IfNeeded', 201],
      ['mutating', 'Always', 422],
      ['validating', 'Never', 400],
    ] as const) {
      const webhook = hooks.hook('/nowhere/policy', () => allow, { reinvocationPolicy: policy });
      const path = `${registration}/${type}webhookconfigurations?dryRun=All&fieldValidation=Strict`;
      const made = await api.post(path, { metadata: { name: 'policy' }, webhooks: [webhook] });
      expect([type, policy, made.status]).toEqual([type, policy, status]);
      if (type === 'mutating') continue;
      expect(made.body.message).toContain('unknown field "webhooks[0].reinvocationPolicy"');
    }
  });

  test('mutating webhooks are asked one after the other, by the names of configurations', async () => {
    const path = await install(
      'mutating',
      'turns',
      ['first', () => label('first', '1')],
      ['second', () => label('second', '2')],
    );
    await api.post(path, { ...configMap('one'), metadata: { name: 'one', labels: { a: '1' } } });
    const [{ object }] = hooks.asked('/turns/second') as [{ object: { metadata: { labels: object } } }];
    expect(object.metadata.labels).toEqual({ a: '1', first: '1' });
  });
});
