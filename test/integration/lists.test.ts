// Lists: order, pages, selectors and the resourceVersion table (spec: Chunked lists, resourceVersion semantics).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
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
    ['fieldSelector', 'metadata.name!=ab,metadata.namespace=lists', ['a', 'a-b', 'a.b', 'b', 'z-10', 'z-9']],
  ])('by %s %s shows what matches', async (parameter, selector, expected) => {
    expect(names(await api.get(`${path}?${parameter}=${encodeURIComponent(selector)}`))).toEqual(expected);
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

  test.each([
    'labelSelector=a%20b',
    'labelSelector=in%20(',
    'fieldSelector=spec.x%3D1',
    'fieldSelector=metadata.name',
    'limit=many',
    'continue=garbage',
  ])('refuses %s with a 400', async (query) => {
    expect((await api.get(`${path}?${query}`)).status).toBe(400);
  });

  test('streams a long list completely', async () => {
    const big = '/api/v1/namespaces/kube-public/configmaps';
    await Promise.all(
      Array.from({ length: 300 }, (_, i) => api.post(big, configMap(`big-${i}`, { text: 'x'.repeat(1000) }))),
    );
    expect((await api.get(big)).body.items).toHaveLength(300);
  });
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
  ])('refuses %s', async (query, status) => {
    expect((await api.get(`${path}?${query}`)).status).toBe(status);
  });

  test('answers a version that is too large with 504 and when to come back', async () => {
    const { status, headers, body } = await api.get(
      `${path}?resourceVersion=9000000000&resourceVersionMatch=NotOlderThan`,
    );
    expect([status, headers.get('retry-after'), body.reason]).toEqual([504, '1', 'Timeout']);
    expect(body.details.causes[0].reason).toBe('ResourceVersionTooLarge');
  });
});
