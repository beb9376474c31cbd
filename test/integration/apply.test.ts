// Server-side apply, managedFields, dry runs and strict decoding over the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMap, configMaps } from './api.ts';

let server: Server;
let api: Api;
const clock = new FakeClock();

beforeAll(async () => {
  server = await startTestServer({ listen: false, clock });
  api = apiOf(server);
});
afterAll(() => server.close());

const yaml = 'application/apply-patch+yaml';
const apply = (path: string, manager: string, body: unknown, more = '') =>
  api.call('PATCH', `${path}?fieldManager=${manager}${more}`, body, { 'content-type': yaml });
const applyMap = (name: string, manager: string, data: object, more = '') =>
  apply(`${configMaps}/${name}`, manager, configMap(name, data as Record<string, string>), more);
const managers = ({ body }: Answer) =>
  (body.metadata.managedFields ?? []).map((m: Record<string, unknown>) => [
    m['manager'],
    m['operation'],
    m['subresource'] ?? '',
    m['fieldsV1'],
  ]);
const warnings = ({ headers }: Answer) => headers.get('warning');

describe('apply', () => {
  test('may drop all that it has said of metadata', async () => {
    const config = (metadata: object) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'unlabelled', ...metadata },
    });
    const path = `${configMaps}/unlabelled`;
    const labelled = await apply(path, 'm', config({ labels: { a: 'b' }, finalizers: ['c/d'] }));
    const bare = await apply(path, 'm', config({}));
    expect([labelled.status, bare.status]).toEqual([201, 200]);
    const { name, namespace, uid, creationTimestamp } = labelled.body.metadata;
    const { resourceVersion } = bare.body.metadata;
    expect(bare.body.metadata).toEqual({ name, namespace, uid, resourceVersion, creationTimestamp });
  });

  test('creates, changes, and leaves alone what is the same', async () => {
    const created = await applyMap('one', 'm', { k: '1' });
    expect(created.status).toBe(201);
    expect(managers(created)).toEqual([['m', 'Apply', '', { 'f:data': { 'f:k': {} } }]]);
    clock.advance(60_000);
    const changed = await applyMap('one', 'm', { k: '2' });
    expect(changed.status).toBe(200);
    expect(changed.body.metadata.resourceVersion).not.toBe(created.body.metadata.resourceVersion);
    expect(changed.body.metadata.managedFields[0].time).not.toBe(created.body.metadata.managedFields[0].time);
    clock.advance(60_000);
    expect((await applyMap('one', 'm', { k: '2' })).body).toEqual(changed.body);
  });

  test('of a configuration without metadata changes what is there, and cannot create', async () => {
    const bare = { kind: 'ConfigMap', apiVersion: 'v1', data: { k: '1' } };
    const refused = await apply(`${configMaps}/bare`, 'm', bare);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('name must be provided');
    await applyMap('bare', 'm', { k: '0' });
    expect((await apply(`${configMaps}/bare`, 'm', bare)).body.data).toEqual({ k: '1' });
  });

  test('by several managers, where the order of entries would change, still writes nothing', async () => {
    await applyMap('several', 'a', { a: '1' });
    clock.advance(60_000);
    const both = await applyMap('several', 'b', { b: '1' });
    clock.advance(60_000);
    expect((await applyMap('several', 'a', { a: '1' })).body).toEqual(both.body);
  });

  test('sharing a value is written, without a time', async () => {
    await applyMap('shared', 'a', { k: '1' });
    const shared = await applyMap('shared', 'b', { k: '1' });
    expect(shared.body.metadata.managedFields.map((m: { time?: string }) => m.time !== undefined)).toEqual([
      false,
      true,
    ]);
  });

  test('two at once both succeed', async () => {
    await applyMap('race', 'a', { k: '1' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => applyMap('race', `m${i}`, { [`k${i}`]: '1' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect((await api.get(`${configMaps}/race`)).body.metadata.managedFields).toHaveLength(11);
  });

  test('ten at once create one object', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => applyMap('born', `m${i}`, { [`k${i}`]: '1' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  });

  test('with a stale resourceVersion is refused', async () => {
    const { body } = await applyMap('stale', 'a', { k: '1' });
    await applyMap('stale', 'a', { k: '2' });
    const { resourceVersion } = body.metadata;
    const answer = await apply(`${configMaps}/stale`, 'a', configMap('stale', { k: '3' }, { resourceVersion }));
    expect([answer.status, answer.body.reason]).toEqual([409, 'Conflict']);
  });

  test('as a dry run shows everything and stores nothing', async () => {
    const created = await applyMap('dry', 'a', { k: '1' }, '&dryRun=All');
    expect(created.status).toBe(201);
    expect(created.body.metadata.resourceVersion).toBeUndefined();
    expect((await api.get(`${configMaps}/dry`)).status).toBe(404);
    await applyMap('dry', 'a', { k: '1' });
    expect((await applyMap('dry', 'b', { k: '2' }, '&dryRun=All')).status).toBe(409);
    expect((await applyMap('dry', 'b', { k: '2' }, '&dryRun=All&force=true')).body.data).toEqual({ k: '2' });
    expect((await api.get(`${configMaps}/dry`)).body.data).toEqual({ k: '1' });
  });

  test.each([
    ['', 422, 'fieldManager: Required value: is required for apply patch'],
    [`?fieldManager=${'x'.repeat(129)}`, 422, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['?fieldManager=a%00b', 422, 'invalid character U+0000 (at position 1)'],
    ['?fieldManager=%C3%A4%00b%01', 422, '(at position 4)'],
    [`?fieldManager=${'%01'.repeat(200)}`, 422, '(at position 127)'],
  ])('with %j is refused', async (query, status, message) => {
    const answer = await api.call('PATCH', `${configMaps}/x${query}`, configMap('x'), { 'content-type': yaml });
    expect([answer.status, answer.body.message.includes(message)]).toEqual([status, true]);
    expect(answer.body.message).not.toContain('(at position 128)');
  });

  test.each([undefined, null, {}])('that creates without a name, metadata %j, is refused', async (metadata) => {
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: '1' } };
    const answer = await apply(`${configMaps}/nameless`, 'm', config);
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'the name of the object (nameless based on URL) was undeterminable: name must be provided',
    ]);
  });

  test('in a format that is not spoken is refused', async () => {
    const answer = await api.call('PATCH', `${configMaps}/x?fieldManager=a`, '', {
      'content-type': 'application/apply-patch+cbor',
    });
    expect([answer.status, answer.body.reason]).toEqual([415, 'UnsupportedMediaType']);
  });

  test('repeated keys are warned of or refused', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rep}\ndata:\n  a: "1"\n  a: "2"\n';
    const path = `${configMaps}/rep`;
    expect(warnings(await apply(path, 'm', text))).toContain('line 6: key \\"a\\" already set in map');
    expect((await apply(path, 'm', text, '&fieldValidation=Strict')).status).toBe(400);
  });
});

describe('subresources', () => {
  const path = '/apis/apps/v1/namespaces/default/deployments/web';
  const labels = { app: 'web' };
  const web = (spec: object = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      ...spec,
    },
  });
  const status = (replicas: number) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    status: { replicas },
  });

  test('status belongs to those who write it there, and to no other manager', async () => {
    await apply(path, 'spec', { ...web(), status: { replicas: 9 } });
    const applied = await apply(`${path}/status`, 'ctl', status(3));
    expect(applied.status).toBe(200);
    expect(managers(applied).map(([name, , sub]: string[]) => [name, sub])).toEqual([
      ['ctl', 'status'],
      ['spec', ''],
    ]);
    const conflict = await apply(`${path}/status`, 'other', status(4));
    expect(conflict.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "ctl" with subresource "status": .status.replicas',
    );
    const again = await apply(path, 'spec', { ...web(), status: { replicas: 9 } });
    expect([again.status, again.body.status.replicas]).toEqual([200, 3]);
  });

  test('status cannot be applied to what does not exist', async () => {
    expect((await apply('/apis/apps/v1/namespaces/default/deployments/none/status', 'c', status(1))).status).toBe(404);
  });

  test('the manager that scales owns the replicas', async () => {
    await apply(path, 'spec', web({ replicas: 1 }));
    const scale = { spec: { replicas: 5 } };
    expect(
      (
        await api.call('PATCH', `${path}/scale?fieldManager=hpa`, scale, {
          'content-type': 'application/merge-patch+json',
        })
      ).status,
    ).toBe(200);
    const found = managers(await api.get(path)).filter(([name]: string[]) => name === 'hpa');
    expect(found).toEqual([['hpa', 'Update', 'scale', { 'f:spec': { 'f:replicas': {} } }]]);
    expect((await apply(path, 'spec', web({ replicas: 1 }))).body.message).toContain(
      'conflict with "hpa" with subresource "scale" using apps/v1: .spec.replicas',
    );
    const config = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 6 } };
    expect((await apply(`${path}/scale`, 'keda', config)).status).toBe(409);
    expect((await apply(`${path}/scale`, 'keda', config, '&force=true')).body.spec.replicas).toBe(6);
    const owners = managers(await api.get(path)).filter(([, , sub]: string[]) => sub === 'scale');
    expect(owners).toEqual([['keda', 'Apply', 'scale', { 'f:spec': { 'f:replicas': {} } }]]);
  });
});

describe('other writes', () => {
  test('are recorded under the name they give, or the first word of the user agent', async () => {
    const agent = (header: string) =>
      api.call('POST', configMaps, configMap(`ua-${header.length}`, { a: '1' }), {
        'user-agent': header,
        'content-type': 'application/json',
      });
    expect(managers(await agent('curl/8.0 (x)'))[0][0]).toBe('curl');
    expect(managers(await agent('/odd'))[0][0]).toBe('unknown');
    // Node takes each character of a header for a byte
    const bytes = Buffer.from('é'.repeat(100)).toString('latin1');
    expect(managers(await agent(`${bytes}/1`))[0][0]).toBe('é'.repeat(64));
    expect(
      managers(await api.call('POST', `${configMaps}?fieldManager=me`, configMap('named', { a: '1' })))[0][0],
    ).toBe('me');
  });

  test('reset managedFields with an empty list, or a list with one empty entry', async () => {
    for (const [name, list] of [
      ['r0', []],
      ['r1', [{}]],
    ] as const) {
      await applyMap(name, 'a', { k: '1' });
      const reset = await api.patch('merge', `${configMaps}/${name}`, { metadata: { managedFields: list } });
      expect([reset.status, reset.body.metadata.managedFields]).toEqual([200, undefined]);
    }
    await applyMap('r2', 'a', { k: '1' });
    const patch = [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }];
    expect(managers(await api.patch('json', `${configMaps}/r2`, patch))).toEqual([]);
  });

  test('that leave managedFields out keep them', async () => {
    await applyMap('kept', 'a', { k: '1' });
    const put = await api.put(`${configMaps}/kept`, configMap('kept', { k: '1' }));
    expect(managers(put).map(([name]: string[]) => name)).toEqual(['a']);
  });

  test('an object that lost its managers belongs to the manager before-first-apply', async () => {
    await api.post(configMaps, configMap('before', { k: '1' }));
    await api.patch('merge', `${configMaps}/before`, { metadata: { managedFields: [{}] } });
    const conflict = await applyMap('before', 'a', { k: '2' });
    expect(conflict.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.k',
    );
  });
});

describe('strict decoding', () => {
  const text = (name: string) =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","name":"${name}"},"x":1,"data":{"a":"1","a":"2"}}`;

  test('ignores, warns of or refuses what repeats and what is unknown', async () => {
    const post = (name: string, level: string) =>
      api.call('POST', `${configMaps}?fieldValidation=${level}`, text(name));
    expect(warnings(await post('s-ignore', 'Ignore'))).toBeNull();
    const warned = await post('s-warn', 'Warn');
    expect([warned.status, warned.body.data]).toEqual([201, { a: '2' }]);
    expect(warnings(warned)).toBe(
      '299 - "duplicate field \\"metadata.name\\"", 299 - "unknown field \\"x\\"", 299 - "duplicate field \\"data.a\\""',
    );
    const strict = await post('s-strict', 'Strict');
    expect([strict.status, strict.body.reason]).toEqual([400, 'BadRequest']);
    expect(strict.body.message).toMatch(
      /strict decoding error: duplicate field "metadata.name", unknown field "x", duplicate field "data.a"$/,
    );
  });

  test('says where JSON breaks', async () => {
    const answer = await api.call('POST', configMaps, '{"metadata":{"name":x}}');
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining("invalid character 'x' looking for beginning of value"),
    ]);
  });

  test('integers beyond 2^53 survive a write, a read and an unrelated patch', async () => {
    const big = '9007199254740993';
    const path = '/apis/apps/v1/namespaces/default/controllerrevisions';
    const body = `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"big"},"revision":${big},"data":{"n":${big}}}`;
    const raw = async (method: string, url: string, sent?: string, type = 'application/json') => {
      const answer = await server.fetch(url, {
        method,
        headers: { 'content-type': type },
        ...(sent ? { body: sent } : {}),
      });
      return answer.text();
    };
    for (const answer of [
      await raw('POST', path, body),
      await raw('GET', `${path}/big`),
      await raw('PATCH', `${path}/big`, '{"metadata":{"labels":{"a":"b"}}}', 'application/merge-patch+json'),
      await raw('GET', `${path}/big?pretty=true`),
      await raw('GET', `${path}?limit=1`),
    ]) {
      expect(answer.match(new RegExp(big, 'g'))).toHaveLength(2);
    }
  });
});
