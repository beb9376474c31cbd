import { expect, test } from 'vitest';
import { mergeInto } from './merge.ts';

const kinds = 'x-kubernetes-group-version-kind';
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const operation = (name: string) => ({ get: { responses: { 200: { description: 'OK', schema: ref(name) } } } });
const path = '/apis/ext.example/v1/things';
const thing = { type: 'object', properties: { meta: ref('Meta'), self: ref('Thing') } };
const fragment = { paths: { [path]: operation('Thing') }, definitions: { Thing: thing, Meta: { type: 'object' } } };

async function merged(definitions: Record<string, unknown>, paths: Record<string, unknown> = {}, added = fragment) {
  const whole = { paths, definitions };
  await mergeInto(whole, added, kinds);
  return whole;
}

test('definitions of the same name are shared where they say the same, and renamed where they do not', async () => {
  expect(await merged({ Meta: { type: 'string' }, Thing: thing })).toEqual({
    paths: { [path]: operation('Thing') },
    definitions: { Meta: { type: 'string' }, Meta_v2: { type: 'object' }, Thing: thing },
  });
});

test('the order of keys does not make a definition another one', async () => {
  const { properties, type } = thing;
  const { definitions } = await merged({ Thing: { properties, type } });
  expect(Object.keys(definitions)).toEqual(['Thing', 'Meta']);
});

test('paths that are there already stay', async () => {
  const whole = await merged({ Thing: {}, Thing_v2: {} }, { [path]: 'mine' });
  expect(whole.paths).toEqual({ [path]: 'mine' });
  expect(whole.definitions).toMatchObject({ Thing_v3: { properties: { self: ref('Thing_v3') } } });
});

test('a definition that was renamed before is found again', async () => {
  const { definitions } = await merged({ Meta: { type: 'string' }, Meta_v2: { type: 'object' } });
  expect(Object.keys(definitions).sort()).toEqual(['Meta', 'Meta_v2', 'Thing']);
});

test('a new name is none that the other document has itself', async () => {
  const added = {
    paths: { [path]: operation('Meta') },
    definitions: { Meta: { type: 'object' }, Meta_v2: { type: 'number' }, Meta_v3: ref('Meta') },
  };
  const { definitions } = await merged({ Meta: { type: 'string' } }, {}, added as unknown as typeof fragment);
  expect(definitions).toEqual({
    Meta: { type: 'string' },
    Meta_v2: { type: 'number' },
    Meta_v3: ref('Meta_v4'),
    Meta_v4: { type: 'object' },
  });
});

test('a definition that both have is of the kinds of both, and what was there is not changed', async () => {
  const kind = (group: string) => ({ group, version: 'v1', kind: 'DeleteOptions' });
  const before = { type: 'object', [kinds]: [kind('b'), kind('c')] };
  const added = { paths: fragment.paths, definitions: { Meta: { type: 'object', [kinds]: [kind('c'), kind('a')] } } };
  const { definitions } = await merged({ Meta: before }, {}, added as unknown as typeof fragment);
  expect(definitions).toEqual({ Meta: { type: 'object', [kinds]: [kind('a'), kind('b'), kind('c')] } });
  expect(before[kinds]).toEqual([kind('b'), kind('c')]);
});

test.each([[{}], [[1, null]], ['x']])('kinds that are none, such as %j, change nothing', async (wrong) => {
  const before = { type: 'object', [kinds]: [] };
  const added = { paths: fragment.paths, definitions: { Meta: { type: 'object', [kinds]: wrong } } };
  const { definitions } = await merged({ Meta: before }, {}, added as unknown as typeof fragment);
  expect(definitions).toEqual({ Meta: before });
});
