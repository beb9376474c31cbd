// Lists: order, pages, selectors and the resourceVersion table (spec: Chunked lists, resourceVersion semantics).

import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openEnvelope } from '../../src/codec/protobuf/envelope.ts';
import { decodeMessage } from '../../src/codec/protobuf/message.ts';
import { configMap as configMapDefinition } from '../../src/groups/core/v1/config-map.ts';
import { listOfType } from '../../src/groups/meta/v1/types.ts';
import type { Server } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { expectShortTurns } from '../../src/testing/processor-time.ts';
import { type Answer, type Api, apiOf, configMap } from './api.ts';

let server: Server;
let api: Api;
const path = '/api/v1/namespaces/lists/configmaps';
const names = ({ body }: Answer) => body.items.map((item: { metadata: { name: string } }) => item.metadata.name);

beforeAll(async () => {
  server = await startTestServer({ listen: false, controllers: [] });
  api = apiOf(server);
  await api.post('/api/v1/namespaces', { metadata: { name: 'lists' } });
  for (const [index, name] of ['b', 'a-b', 'a', 'a.b', 'ab', 'z-10', 'z-9'].entries()) {
    await api.post(path, configMap(name, { index: `${index}` }, { labels: { tier: index % 2 ? 'odd' : 'even' } }));
  }
});
afterAll(() => server.close());

describe('a list', () => {
  test('is sorted by name and does not repeat kind and apiVersion in its items', async () => {
    const answer = await api.get(path);
    expect(answer.body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(names(answer)).toEqual(['a', 'a-b', 'a.b', 'ab', 'b', 'z-10', 'z-9']);
    expect(Object.keys(answer.body.items[0])).toEqual(['metadata', 'data']);
    expect(Object.keys(answer.body.metadata)).toEqual(['resourceVersion']);
  });

  test('of all namespaces contains those of each', async () => {
    expect(names(await api.get('/api/v1/configmaps'))).toContain('z-9');
    expect((await api.get('/api/v1/namespaces/nowhere/configmaps')).body.items).toEqual([]);
  });

  test('comes in pages that show one snapshot', async () => {
    const first = await api.get(`${path}?limit=3`);
    expect(first.body.metadata.remainingItemCount).toBe(4);
    await api.post(path, configMap('a-late'));
    const token = encodeURIComponent(first.body.metadata.continue);
    const second = await api.get(`${path}?limit=3&continue=${token}`);
    expect(second.body.metadata).toMatchObject({
      remainingItemCount: 1,
      resourceVersion: first.body.metadata.resourceVersion,
    });
    const rest = await api.get(`${path}?limit=3&continue=${encodeURIComponent(second.body.metadata.continue)}`);
    expect([...names(first), ...names(second), ...names(rest)]).toEqual(['a', 'a-b', 'a.b', 'ab', 'b', 'z-10', 'z-9']);
    expect(rest.body.metadata.continue).toBeUndefined();
    await api.delete(`${path}/a-late`);
  });

  test.each([
    ['labelSelector', 'tier=odd', ['a-b', 'a.b', 'z-10']],
    ['labelSelector', 'tier notin (odd)', ['a', 'ab', 'b', 'z-9']],
    ['labelSelector', '!tier', []],
    ['fieldSelector', 'metadata.name=ab', ['ab']],
    ['fieldSelector', 'metadata.name=', []],
    ['fieldSelector', 'metadata.name=../ab', []],
    ['labelSelector', 'tier in ()', []],
    ['labelSelector', 'tier in (odd,)', ['a-b', 'a.b', 'z-10']],
    ['fieldSelector', 'metadata.name!=ab,metadata.namespace=lists', ['a', 'a-b', 'a.b', 'b', 'z-10', 'z-9']],
  ])('by %s %s shows what matches', async (parameter, selector, expected) => {
    expect(names(await api.get(`${path}?${parameter}=${encodeURIComponent(selector)}`))).toEqual(expected);
  });

  test.each([
    ['GET', ''],
    ['GET', '&watch=true'],
    ['DELETE', ''],
  ])('%s with two selectors that make no sense%s is told of the one for labels', async (method, more) => {
    for (const query of ['fieldSelector=x&labelSelector=a!!b', 'labelSelector=a!!b&fieldSelector=a=b=c']) {
      const { status, body } = await api.call(method, `${path}?${query}${more}`);
      expect([status, body.message]).toEqual([
        400,
        "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt",
      ]);
    }
  });

  test('of all namespaces may be narrowed to one, and to one object in it', async () => {
    const selected = (fields: string, more = '') =>
      api.get(`/api/v1/configmaps?fieldSelector=${encodeURIComponent(fields)}${more}`);
    expect(names(await selected('metadata.namespace=lists'))).toEqual(['a', 'a-b', 'a.b', 'ab', 'b', 'z-10', 'z-9']);
    // what other namespaces hold after it does not make another page
    await api.post('/api/v1/namespaces/default/configmaps', configMap('only'));
    const only = await selected('metadata.namespace=default', '&limit=1');
    expect([names(only), only.body.metadata.continue]).toEqual([['only'], undefined]);
    await api.delete('/api/v1/namespaces/default/configmaps/only');
    expect(names(await selected('metadata.namespace=lists,metadata.name=ab'))).toEqual(['ab']);
    expect(names(await selected('metadata.namespace=lists,metadata.namespace=default'))).toEqual([]);
    expect(names(await selected('metadata.namespace='))).toEqual([]);
  });

  test('of a kind outside namespaces may be selected by a namespace, which nothing is in', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    expect((await api.get(`${roles}?fieldSelector=metadata.namespace%3Da`)).body.items).toEqual([]);
    expect((await api.get(`${roles}?fieldSelector=metadata.namespace%21%3Da`)).body.items.length).toBeGreaterThan(0);
    expect((await api.get('/api/v1/nodes?fieldSelector=metadata.namespace%3Da')).status).toBe(400);
  });

  test('by a selector comes in pages without a count', async () => {
    const first = await api.get(`${path}?limit=2&labelSelector=tier%3Deven`);
    expect(names(first)).toEqual(['a', 'ab']);
    expect(first.body.metadata.remainingItemCount).toBeUndefined();
    const rest = await api.get(
      `${path}?limit=5&labelSelector=tier%3Deven&continue=${encodeURIComponent(first.body.metadata.continue)}`,
    );
    expect(names(rest)).toEqual(['b', 'z-9']);
  });

  test('by a selector goes on after a full page while anything is left to look at', async () => {
    const query = (limit: number) => `limit=${limit}&labelSelector=tier%3Dodd`;
    // a-b, a.b and z-10 match; z-9 comes after them
    const full = await api.get(`${path}?${query(3)}`);
    expect(names(full)).toEqual(['a-b', 'a.b', 'z-10']);
    const rest = await api.get(`${path}?${query(3)}&continue=${encodeURIComponent(full.body.metadata.continue)}`);
    expect([names(rest), rest.body.metadata]).toEqual([[], { resourceVersion: full.body.metadata.resourceVersion }]);
    expect((await api.get(`${path}?${query(4)}`)).body.metadata.continue).toBeUndefined();
    const one = await api.get(`${path}?limit=1&fieldSelector=metadata.name%3Da`);
    expect([names(one), one.body.metadata.continue]).toEqual([['a'], undefined]);
  });

  test.each([
    'labelSelector=a%20b',
    'labelSelector=in%20(',
    'fieldSelector=spec.x%3D1',
    'fieldSelector=metadata.name',
    'limit=many',
    'limit=',
    'limit=9223372036854775808',
    'timeoutSeconds=soon',
    'resourceVersion=abc',
    'resourceVersion=-1',
    'resourceVersion=abc&limit=1',
  ])('refuses %s with a 400', async (query) => {
    expect(await api.get(`${path}?${query}`)).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });

  test.each([
    'continue=garbage',
    'continue=e30',
    'limit=1&continue=eyJ2IjoxLCJydiI6MSwic3RhcnQiOiIuLi9zZWNyZXRzL2FcdTAwMDAifQ',
  ])('refuses the token in %s with a 400', async (query) => {
    expect(await api.get(`${path}?${query}`)).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });

  test('refuses a token that was changed', async () => {
    const first = await api.get(`${path}?limit=1`);
    const token = first.body.metadata.continue as string;
    for (const changed of [`${token}A`, token.slice(1), `${token}=`, token.toUpperCase()]) {
      const answer = await api.get(`${path}?limit=1&continue=${encodeURIComponent(changed)}`);
      expect([answer.status, answer.body.reason]).toEqual([400, 'BadRequest']);
    }
  });
});

describe('a long list', () => {
  const big = '/api/v1/namespaces/kube-public/configmaps';
  const count = 400;
  const accept = (type: string) => ({ accept: type });
  beforeAll(async () => {
    const data = { text: 'é"\\\n- x: '.repeat(100), more: 'y'.repeat(300) };
    await Promise.all(Array.from({ length: count }, (_, i) => api.post(big, configMap(`big-${i}`, data))));
  });

  test('streams completely', async () => {
    expect((await api.get(big)).body.items).toHaveLength(count);
  });

  test('says the same in every format', async () => {
    const plain = (await api.get(big)).body;
    expect((await api.get(`${big}?pretty=1`)).body).toEqual(plain);
    const yaml = await api.get(big, accept('application/yaml'));
    expect(parse(yaml.body)).toEqual(plain);
    const pretty = await (await server.fetch(`${big}?pretty=1&limit=3`)).text();
    expect(pretty).toBe(JSON.stringify(JSON.parse(pretty), undefined, 2));
    const empty = await (await server.fetch(`${big}?pretty=1&labelSelector=a%3Db`)).text();
    expect(empty).toBe(JSON.stringify(JSON.parse(empty), undefined, 2));
    expect(parse((await api.get(`${big}?labelSelector=a%3Db`, accept('application/yaml'))).body).items).toEqual([]);
  });

  test('comes as protobuf, in one envelope of the right length', async () => {
    const response = await server.fetch(big, { headers: accept('application/vnd.kubernetes.protobuf') });
    const { kind, raw } = openEnvelope(new Uint8Array(await response.arrayBuffer()));
    const { items, metadata } = decodeMessage(listOfType(configMapDefinition.type), raw) as never as {
      items: { metadata: { name: string } }[];
      metadata: { resourceVersion: string };
    };
    const plain = (await api.get(big)).body;
    expect([kind, metadata.resourceVersion]).toEqual(['ConfigMapList', plain.metadata.resourceVersion]);
    expect(items.map((item) => item.metadata.name)).toEqual(names({ body: plain } as Answer));
  });

  test('comes as a table and as metadata only', async () => {
    const table = await api.get(big, accept('application/json;as=Table;v=v1;g=meta.k8s.io'));
    expect(table.body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Data', 'Age']);
    expect(table.body.rows).toHaveLength(count);
    expect(table.body.rows[0].object.kind).toBe('PartialObjectMetadata');
    const partial = await api.get(big, accept('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'));
    expect(partial.body.kind).toBe('PartialObjectMetadataList');
    expect(partial.body.items).toHaveLength(count);
    expect(partial.body.items[0].data).toBeUndefined();
  });

  test.each([
    'application/json',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/vnd.kubernetes.protobuf',
    'application/yaml',
  ])('is compressed for those who accept that, as %s', async (type) => {
    const zipped = await server.fetch(big, { headers: { accept: type, 'accept-encoding': 'br, gzip;q=0.8' } });
    expect([zipped.headers.get('content-encoding'), zipped.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding']);
    const plain = await server.fetch(big, { headers: { accept: type, 'accept-encoding': 'gzip;q=0, identity' } });
    expect(plain.headers.get('content-encoding')).toBeNull();
    const bytes = Buffer.from(await zipped.arrayBuffer());
    const expected = Buffer.from(await plain.arrayBuffer());
    expect(bytes.length).toBeLessThan(expected.length / 4);
    // a second may pass between the two, and ages with it
    const ageless = (text: Buffer) => text.toString('latin1').replaceAll(/"\d+s"/g, '""');
    expect(ageless(gunzipSync(bytes)) === ageless(expected)).toBe(true);
  });

  test('is not compressed when it is short, and a watch never is', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    expect((await server.fetch(`${big}?limit=10`, { headers })).headers.get('content-encoding')).toBeNull();
    const watch = await server.fetch(`${big}?watch=1`, { headers });
    expect(watch.headers.get('content-encoding')).toBeNull();
    await watch.body?.cancel();
  });

  test('stops when the client does not read it', async () => {
    const response = await server.fetch(big);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.cancel();
    expect((await api.get(`${big}?limit=1`)).status).toBe(200);
  });

  test('lets others have their turn, whatever it looks like', async () => {
    // the whole takes far longer
    await expectShortTurns(250, async () => {
      for (const type of [
        'application/json;as=Table;v=v1;g=meta.k8s.io',
        'application/vnd.kubernetes.protobuf',
        'application/yaml',
      ]) {
        await (await server.fetch(big, { headers: accept(type) })).arrayBuffer();
      }
    });
  });
});

describe('a list whose snapshot is gone', () => {
  test('is answered with a token to go on with what there is now', async () => {
    const clock = new FakeClock();
    await using own = await startTestServer({ listen: false, clock, controllers: [] });
    const other = apiOf(own);
    const all = '/api/v1/namespaces/default/configmaps';
    for (const name of ['a', 'b', 'c', 'd']) await other.post(all, configMap(name));
    const first = await other.get(`${all}?limit=2`);
    const next = `${all}?limit=1&continue=${encodeURIComponent(first.body.metadata.continue)}`;
    expect(names(await other.get(next))).toEqual(['c']);
    await other.delete(`${all}/c`);
    const made = await other.post(all, configMap('e'));
    let answer = await other.get(next);
    while (answer.status === 200) {
      clock.advance(30_000);
      await new Promise((resolve) => setImmediate(resolve));
      answer = await other.get(next);
    }
    expect(answer).toMatchObject({ status: 410, body: { kind: 'Status', reason: 'Expired', code: 410 } });
    expect(answer.body.message).toContain('use the continue token in this response');
    const rest = await other.get(`${all}?limit=1&continue=${encodeURIComponent(answer.body.metadata.continue)}`);
    expect(names(rest)).toEqual(['d']);
    const { resourceVersion, remainingItemCount } = rest.body.metadata;
    expect(remainingItemCount).toBe(1);
    // the server itself may have written something since
    expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(made.body.metadata.resourceVersion));
    const last = await other.get(`${all}?limit=5&continue=${encodeURIComponent(rest.body.metadata.continue)}`);
    expect([names(last), last.body.metadata]).toEqual([['e'], { resourceVersion }]);
    const exact = `${all}?resourceVersion=${first.body.metadata.resourceVersion}&resourceVersionMatch=Exact`;
    const gone = await other.get(exact);
    expect(gone).toMatchObject({ status: 410, body: { reason: 'Expired', metadata: {} } });
  });
});

test('without the gate APIListChunking a list is never in pages', async () => {
  const whole = await startTestServer({ listen: false, controllers: [], featureGates: { APIListChunking: false } });
  const { body } = await apiOf(whole).get('/api/v1/namespaces?limit=1&continue=anything');
  expect(body.items.length).toBeGreaterThan(1);
  expect(Object.keys(body.metadata)).toEqual(['resourceVersion']);
  await whole.close();
});

describe('the resourceVersion table', () => {
  test('reads at the latest, at any, at a not older and at an exact version', async () => {
    const made = (await api.post(path, configMap('versioned', { v: '1' }))).body.metadata.resourceVersion;
    await api.patch('merge', `${path}/versioned`, { data: { v: '2' } });
    const valueAt = async (query: string) => {
      const { body } = await api.get(`${path}?${query}`);
      return body.items.find((item: { metadata: { name: string } }) => item.metadata.name === 'versioned')?.data.v;
    };
    expect(await valueAt('')).toBe('2');
    expect(await valueAt('resourceVersion=0')).toBe('2');
    expect(await valueAt(`resourceVersion=${made}`)).toBe('2');
    expect(await valueAt(`resourceVersion=${made}&resourceVersionMatch=Exact`)).toBe('1');
    expect(await valueAt(`resourceVersion=${made}&limit=100`)).toBe('1');
    expect(await valueAt(`resourceVersion=${made}&limit=100&resourceVersionMatch=NotOlderThan`)).toBe('2');
    expect(
      (await api.get(`${path}?resourceVersion=${made}&resourceVersionMatch=Exact`)).body.metadata.resourceVersion,
    ).toBe(made);
  });

  test.each([
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersionMatch=NotOlderThan', 422],
    ['resourceVersionMatch=Exact&resourceVersion=0', 422],
    ['resourceVersionMatch=Nearly&resourceVersion=5', 422],
    ['resourceVersionMatch=Exact&limit=1', 422],
    ['resourceVersionMatch=Exact&resourceVersion=0&limit=1', 422],
    ['resourceVersionMatch=NotOlderThan&limit=1', 422],
    ['sendInitialEvents=true&resourceVersion=0&resourceVersionMatch=NotOlderThan', 422],
    ['resourceVersion=18446744073709551616', 400],
    ['continue=abc&resourceVersion=5', 400],
    ['continue=abc&resourceVersion=5&resourceVersionMatch=Exact', 422],
  ])('refuses %s', async (query, status) => {
    expect((await api.get(`${path}?${query}`)).status).toBe(status);
  });

  test('answers a version that is too large with 504 and when to come back', async () => {
    const { status, headers, body } = await api.get(
      `${path}?resourceVersion=9223372036854775807&resourceVersionMatch=NotOlderThan`,
    );
    expect([status, headers.get('retry-after'), body.reason]).toEqual([504, '1', 'Timeout']);
    expect(body.details.causes[0].reason).toBe('ResourceVersionTooLarge');
  });
});
