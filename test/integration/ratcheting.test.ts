// Updates of custom resources that were wrong before their schema became stricter: what did not change may stay.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
const group = 'example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = `/apis/${group}/v1/namespaces/default/rules`;

beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
  await api.post(definitions, {
    metadata: { name: `rules.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: 'rules', kind: 'Rule' }, versions: versions(open) },
  });
  await eventually(async () => expect((await api.get(path)).status).toBe(200));
});
afterAll(() => server.close());

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const versions = (spec: object) => [
  {
    ...{ name: 'v1', served: true, storage: true },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
  },
];

async function become(spec: object): Promise<void> {
  const { status, body } = await api.patch('merge', `${definitions}/rules.${group}`, {
    spec: { versions: versions(spec) },
  });
  expect(status, body.message).toBe(200);
}

let count = 0;
let at: string;

/** An object from before, when anything was right. */
async function before(spec: object): Promise<void> {
  await become(open);
  const name = `a${++count}`;
  at = `${path}/${name}`;
  const body = { kind: 'Rule', apiVersion: `${group}/v1`, metadata: { name }, spec };
  expect((await api.post(path, body)).status).toBe(201);
}

const change = (spec: object) => api.patch('merge', at, { spec });
const causes = ({ body }: Answer): readonly string[] =>
  (body.details?.causes ?? []).map(({ field }: { field: string }) => field);

const short = { type: 'string', maxLength: 3 };
const ruled = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self.size() < 4', message: 'too long' }] };
const list = (item: object, marks: object = {}) => ({ type: 'array', maxItems: 9, items: item, ...marks });
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const entry = (text: object, more: object = {}) => ({
  ...{ type: 'object', required: ['name'], properties: { name: { type: 'string' }, text }, ...more },
});
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe.each([
  ['keywords', short],
  ['rules', ruled],
])('%s', (_, text) => {
  const items = [
    { name: 'a', text: 'long text' },
    { name: 'b', text: 'ok' },
  ];

  test('items of a keyed list are what they were by their keys, wherever they stand', async () => {
    await before({ list: items });
    await become(object({ list: list(entry(text), keyed) }));
    expect((await change({ list: items.toReversed() })).status).toBe(200);
    expect((await change({ list: [...items, { name: 'c', text: 'new' }] })).status).toBe(200);
    const renamed = await change({ list: [{ name: 'd', text: 'long text' }] });
    expect(causes(renamed)).toEqual(['spec.list[0].text']);
  });

  test('a whole keyed list is what it was in any order, and no longer when an item is another', async () => {
    const limited = text === short ? { maxItems: 1 } : { 'x-kubernetes-validations': [{ rule: 'self.size() < 2' }] };
    await before({ list: items, other: 1 });
    await become(
      object({ list: { ...list(entry({ type: 'string' }), keyed), ...limited }, other: { type: 'integer' } }),
    );
    expect((await change({ list: items.toReversed(), other: 2 })).status).toBe(200);
    expect(causes(await change({ list: [items[0], { name: 'b', text: 'x' }] }))).toEqual(['spec.list']);
  });

  test.each([
    ['a set', { 'x-kubernetes-list-type': 'set' }],
    ['an atomic list', { 'x-kubernetes-list-type': 'atomic' }],
    ['a list without a type', {}],
  ])('%s is what it was as a whole only', async (__, marks) => {
    await before({ list: ['long text', 'ok'], other: 1 });
    await become(object({ list: list({ ...text, maxLength: 20, ...text }, marks), other: { type: 'integer' } }));
    expect((await change({ other: 2 })).status).toBe(200);
    expect(causes(await change({ list: ['ok', 'long text'] }))).toEqual(['spec.list[1]']);
    expect(causes(await change({ list: ['long text', 'ok', 'new'] }))).toEqual(['spec.list[0]']);
  });

  test('values of maps are what they were by their keys', async () => {
    await before({ map: { a: 'long text', b: 'ok' } });
    await become(object({ map: { type: 'object', maxProperties: 9, additionalProperties: text } }));
    expect((await change({ map: { c: 'ok' } })).status).toBe(200);
    expect(causes(await change({ map: { b: 'long text' } }))).toHaveLength(1);
  });

  test('an object that holds what its schema does not describe is never what it was', async () => {
    const wanted = text === short ? { minProperties: 3 } : { 'x-kubernetes-validations': [{ rule: 'has(self.b)' }] };
    const inner = (more: object) =>
      object({ inner: { ...object({ a: short, b: short }, wanted), ...more }, other: { type: 'integer' } });
    await before({ inner: { a: 'x' }, other: 1 });
    await become(inner({}));
    expect((await change({ other: 2 })).status).toBe(200);
    await before({ inner: { a: 'x', free: 1 }, other: 1 });
    await become(inner({ 'x-kubernetes-preserve-unknown-fields': true }));
    expect(causes(await change({ other: 2 }))).toEqual(['spec.inner']);
  });
});

test('a rule that is broken as before is told, whether the rest is in order or not', async () => {
  await before({ text: 'long text', n: 1 });
  await become(object({ text: ruled, n: { type: 'integer', maximum: 5 } }));
  const warned = '299 - "spec.text: Invalid value: \\"long text\\": too long"';
  const [fine, refused] = [await change({ n: 2 }), await change({ n: 9 })];
  expect([fine.status, fine.headers.get('warning')]).toEqual([200, warned]);
  expect([refused.status, refused.headers.get('warning')]).toEqual([422, warned]);
});

describe('transition rules', () => {
  const rule = (text: string, optionalOldSelf?: boolean) => ({
    ...{ type: 'string', maxLength: 9 },
    'x-kubernetes-validations': [{ rule: text, ...(optionalOldSelf ? { optionalOldSelf } : {}) }],
  });

  beforeEach(async () => before({ name: 'a', list: [{ name: 'a', text: 'x' }] }));

  test('see items of keyed lists by their keys', async () => {
    await become(object({ list: list(entry(rule('self == oldSelf')), keyed), name: { type: 'string' } }));
    expect(
      (
        await change({
          list: [
            { name: 'b', text: 'y' },
            { name: 'a', text: 'x' },
          ],
        })
      ).status,
    ).toBe(200);
    expect(causes(await change({ list: [{ name: 'a', text: 'y' }] }))).toEqual(['spec.list[0].text']);
  });

  test('are not tolerated for values that did not change', async () => {
    await become(
      object({
        name: rule('oldSelf != self'),
        list: open.type === 'object' ? { ...list(entry({ type: 'string' })) } : {},
      }),
    );
    expect(causes(await change({ list: [] }))).toEqual(['spec.name']);
  });

  test('with an optional old value run for new values too', async () => {
    await become(
      object({
        name: { type: 'string' },
        fresh: rule('oldSelf.hasValue() || self == "first"', true),
        list: list(entry({ type: 'string' })),
      }),
    );
    expect(causes(await change({ fresh: 'second' }))).toEqual(['spec.fresh']);
    expect((await change({ fresh: 'first' })).status).toBe(200);
    expect((await change({ fresh: 'second' })).status).toBe(200);
  });
});

test('rules that cost too much end the validation, one by itself and all together', async () => {
  const numbers = { type: 'array', maxItems: 1000, items: { type: 'integer' } };
  const pairs = 'self.all(a, self.all(b, a <= b || a > b))';
  await before({ list: [], more: [] });
  await become(object({ list: { ...numbers, 'x-kubernetes-validations': [{ rule: pairs }] } }));
  const expensive = await change({ list: Array.from({ length: 1000 }, (_, index) => index) });
  expect(expensive.status).toBe(422);
  expect(expensive.body.message).toContain(
    `no further validation rules will be run due to call cost exceeds limit for rule: ${pairs}`,
  );
  const validations = Array.from({ length: 90 }, (_, index) => ({
    rule: `self.all(a, self.all(b, a <= b || a > b || a == ${index}))`,
  }));
  const many = { ...numbers, maxItems: 180, 'x-kubernetes-validations': validations };
  await become(object({ more: many, list: numbers }));
  const all = await change({ more: Array.from({ length: 180 }, (_, index) => index) });
  expect(all.status).toBe(422);
  expect(all.body.message).toContain(
    'validation failed due to running out of cost budget, no further validation rules will be run',
  );
});
