import { describe, expect, test } from 'vitest';
import { cluster, kubernetes } from '../meta/dialect.ts';
import { decoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { SchemaType, StructType } from '../schema/types.ts';
import { declaredType } from '../testing/declared-type.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { builtInGroups } from './catalog.ts';
import { since } from './columns.ts';
import { deleteOptions, listOfType, objectMeta, status, statusDetails } from './meta/v1/types.ts';

const resources = builtInGroups(kubernetes).flatMap((group) => group.resources);
const find = (plural: string) => resources.find((resource) => resource.plural === plural) as ResourceDefinition;

/** Every struct that a type mentions, itself included. */
function structsOf(type: SchemaType, seen = new Set<StructType>()): Set<StructType> {
  if (type.is === 'list' || type.is === 'map') return structsOf(type.of, seen);
  if (type.is === 'union') {
    for (const one of type.alternatives) structsOf(one.type, seen);
    return seen;
  }
  if (type.is === 'scalar' || seen.has(type)) return seen;
  seen.add(type);
  for (const { type: inner } of type.fields) structsOf(inner, seen);
  return seen;
}

describe('the catalog', () => {
  test.each(['ConfigMap', 'Event', 'Lease coordination.k8s.io', 'Namespace', 'Secret', 'ServiceAccount'])(
    'serves %s',
    (expected) => {
      expect(resources.map(({ group, kind }) => `${kind} ${group}`.trim())).toContain(expected);
    },
  );

  test('names groups after the dialect', () => {
    const groups = builtInGroups(cluster({ apiDomain: 'example.com' })).map(({ group }) => group);
    expect(groups).toEqual(expect.arrayContaining(['', 'coordination.example.com']));
    expect(groups.filter((group) => group.includes('k8s'))).toEqual([]);
  });

  test('has groups in their order of discovery', () => {
    const priorities = builtInGroups(kubernetes).map(({ priority }) => priority.group);
    expect(priorities).toEqual([...priorities].sort((a, b) => b - a));
  });

  test.each(['plural', 'singular', 'storagePrefix'] as const)('has no %s twice among what is stored', (key) => {
    const values = resources
      .filter(({ conversion, action }) => !conversion && !action)
      .map((resource) => resource[key]);
    expect(new Set(values).size).toBe(values.length);
  });

  test('has no short name twice', () => {
    const names = resources.filter(({ conversion }) => !conversion).flatMap(({ shortNames = [] }) => shortNames);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe.each(resources.map((resource) => [resource.kind, resource] as const))('%s', (_, resource) => {
  test('says in one line what each type and field is for', () => {
    for (const type of structsOf(declaredType(resource))) {
      expect(type.about, type.name).toMatch(/^[A-Z].*\.$/s);
      for (const field of type.fields) expect(field.about, `${type.name}.${field.name}`).toMatch(/^[^\n]+\S$/);
    }
  });

  test('has no field and no number twice in a type', () => {
    for (const { name, fields } of structsOf(declaredType(resource))) {
      const places = fields.map(({ number, within = [] }) => [...within, number].join('.'));
      for (const keys of [fields.map((field) => field.name), places])
        expect(new Set(keys).size, name).toBe(fields.length);
    }
  });

  test('is merged by keys that its elements have', () => {
    for (const { fields } of structsOf(declaredType(resource))) {
      for (const { type, mapKeys = [], patchMergeKey } of fields) {
        const keys = patchMergeKey === undefined ? mapKeys : [...mapKeys, patchMergeKey];
        if (keys.length === 0) continue;
        const element = (type.is === 'list' ? type.of : type) as StructType;
        expect(element.fields.map(({ name }) => name)).toEqual(expect.arrayContaining([...keys]));
      }
    }
  });

  test('can be empty, and its strategy and columns can cope', () => {
    const context = { dialect: kubernetes, clock: new FakeClock() };
    const fields = decoderOf(resource.type)({}, new DecodeContext()) as { metadata: object };
    const object = { kind: resource.kind, apiVersion: 'v1', ...fields };
    const { strategy = {}, columns = [], selectableFields = {} } = resource;
    const made = strategy.prepareForCreate?.(strategy.defaults?.(object, context) ?? object, context) ?? object;
    expect(() => strategy.validate?.(made, context)).not.toThrow();
    expect(() => strategy.validateUpdate?.(made, object, context)).not.toThrow();
    for (const column of columns) expect(column.cell(object, context), column.name).not.toBeUndefined();
    for (const read of Object.values(selectableFields)) expect(typeof read(object)).toBe('string');
  });
});

describe('shared types', () => {
  test('a list is made once for each type', () => {
    const list = listOfType(find('secrets').type);
    expect(listOfType(find('secrets').type)).toBe(list);
    expect(list.name).toBe('SecretList');
    expect(decoderOf(list)({}, new DecodeContext())).toEqual({ metadata: {}, items: null });
  });

  test.each([
    ['finalizers merge as a set', objectMeta, 'finalizers', { patchStrategy: 'merge', listType: 'set' }],
    ['owners merge by uid', objectMeta, 'ownerReferences', { patchMergeKey: 'uid', mapKeys: ['uid'] }],
    ['a grace period of zero is one', deleteOptions, 'gracePeriodSeconds', { pointer: true }],
  ])('%s', (_, type, name, expected) => {
    expect(type.fields.find((field) => field.name === name)).toMatchObject(expected);
  });

  // facts of 1.36: both are int32
  test.each<[string, StructType, string]>([
    ['Status.code', status, 'code'],
    ['StatusDetails.retryAfterSeconds', statusDetails, 'retryAfterSeconds'],
  ])('%s is an int32', (_, type, name) => {
    expect(type.fields.find((field) => field.name === name)?.type).toMatchObject({ name: 'int32' });
  });
});

test('a service account shows its name and age, and no secrets', () => {
  const object = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'a' }, secrets: [{ name: 'x' }] };
  const context = { dialect: kubernetes, clock: new FakeClock() };
  const columns = find('serviceaccounts').columns ?? [];
  expect(columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
  expect(columns.map(({ cell }) => cell(object, context))).toEqual(['a', '<unknown>']);
});

test.each([
  [undefined, '<unknown>'],
  [null, '<unknown>'],
  ['2030-01-01T00:00:00Z', '5s'],
  ['2030-01-01T00:00:00.000000Z', '5s'],
])('the time since %s is %s', (time, expected) => {
  expect(since(time, Date.parse('2030-01-01T00:00:05Z'))).toBe(expected);
});
