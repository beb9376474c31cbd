import { describe, expect, test } from 'vitest';
import { cluster, kubernetes } from '../meta/dialect.ts';
import { extensionName, SchemaCollector, schemaName } from './json-schema.ts';
import {
  bool,
  bytes,
  dateTime,
  double,
  field,
  fieldsV1,
  int32,
  int64,
  intOrString,
  listOf,
  mapOf,
  microTime,
  quantity,
  rawExtension,
  type SchemaType,
  type StructType,
  string,
  struct,
} from './types.ts';

const inner = struct('core/v1', 'Inner', 'What is inside.', { a: field(1, string) }, { mapType: 'atomic' });
const outer = struct('core/v1', 'Outer', 'What is outside.', {
  name: field(1, string, { required: true, about: 'Its name.' }),
  phase: field(2, string, { enum: ['On', 'Off'], default: 'On' }),
  inner: field(3, inner, { about: 'Its inside.' }),
  all: field(4, listOf(inner), {
    listType: 'map',
    mapKeys: ['a'],
    patchStrategy: 'merge',
    patchMergeKey: 'a',
    required: true,
  }),
  labels: field(5, mapOf(string), { mapType: 'atomic' }),
  nested: field(6, mapOf(listOf(int32))),
});

const outerName = 'io.k8s.api.core.v1.Outer';
const innerName = 'io.k8s.api.core.v1.Inner';

describe('names of schemas', () => {
  const meta = { ...inner, home: 'meta/v1', name: 'ObjectMeta' };
  const lease = { ...inner, home: 'coordination/v1', name: 'Lease' };

  test.each([
    [inner, kubernetes, innerName],
    [meta, kubernetes, 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'],
    [lease, kubernetes, 'io.k8s.api.coordination.v1.Lease'],
    [lease, cluster(), 'local.cluster.api.api.coordination.v1.Lease'],
    [meta, cluster({ apiDomain: 'example.com' }), 'com.example.apimachinery.pkg.apis.meta.v1.ObjectMeta'],
  ])('%#', (type, dialect, expected) => {
    expect(schemaName(type, dialect)).toBe(expected);
  });

  test('extensions carry the vendor', () => {
    expect(extensionName(kubernetes, 'list-type')).toBe('x-kubernetes-list-type');
    expect(extensionName(cluster(), 'list-type')).toBe('x-cluster-list-type');
  });
});

describe('version 3', () => {
  const collector = new SchemaCollector({ version: 3, dialect: kubernetes });
  const reference = collector.refer(outer, { 'x-extra': 1 });

  test('refers to components', () => {
    expect(reference).toEqual({ $ref: `#/components/schemas/${outerName}` });
  });

  test('allows values of the elements of a list or map, not of the whole', () => {
    const limited = struct('core/v1', 'Limited', 'Lists of few values.', {
      modes: field(1, listOf(string), { enum: ['Once', 'Often'] }),
      byName: field(2, mapOf(string), { enum: ['Once'] }),
    });
    const one = new SchemaCollector({ version: 3, dialect: kubernetes });
    one.refer(limited);
    expect(one.schemas['io.k8s.api.core.v1.Limited']).toMatchObject({
      properties: {
        modes: { type: 'array', items: { type: 'string', default: '', enum: ['Once', 'Often'] } },
        byName: { type: 'object', additionalProperties: { type: 'string', enum: ['Once'] } },
      },
    });
  });

  test('describes the type and every type it mentions', () => {
    const toInner = { allOf: [{ $ref: `#/components/schemas/${innerName}` }], default: {} };
    expect(collector.schemas).toEqual({
      [outerName]: {
        description: 'What is outside.',
        type: 'object',
        'x-extra': 1,
        required: ['name', 'all'],
        properties: {
          name: { description: 'Its name.', type: 'string' },
          phase: { type: 'string', enum: ['On', 'Off'], default: 'On' },
          inner: { description: 'Its inside.', ...toInner },
          all: {
            type: 'array',
            items: toInner,
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['a'],
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'a',
          },
          labels: {
            type: 'object',
            additionalProperties: { type: 'string', default: '' },
            'x-kubernetes-map-type': 'atomic',
          },
          nested: {
            type: 'object',
            additionalProperties: { type: 'array', items: { type: 'integer', format: 'int32', default: 0 } },
          },
        },
      },
      [innerName]: {
        description: 'What is inside.',
        type: 'object',
        properties: { a: { type: 'string' } },
        'x-kubernetes-map-type': 'atomic',
      },
    });
  });
});

describe('version 2', () => {
  test('refers to definitions, without a wrapper', () => {
    const collector = new SchemaCollector({ version: 2, dialect: cluster() });
    expect(collector.refer(outer)).toEqual({ $ref: '#/definitions/local.cluster.api.api.core.v1.Outer' });
    expect(collector.schemas['local.cluster.api.api.core.v1.Outer']).toMatchObject({
      properties: {
        inner: { $ref: '#/definitions/local.cluster.api.api.core.v1.Inner', description: 'Its inside.' },
        all: {
          items: { $ref: '#/definitions/local.cluster.api.api.core.v1.Inner' },
          'x-cluster-list-type': 'map',
        },
      },
    });
  });
});

function refersTo(name: string): object {
  return { allOf: [{ $ref: `#/components/schemas/io.k8s.apimachinery.pkg.${name}` }] };
}

describe('a collector', () => {
  test('gives top-level types a kind and an apiVersion', () => {
    const collector = new SchemaCollector({ version: 3, dialect: kubernetes });
    collector.refer(inner, {}, true);
    expect(Object.keys((collector.schemas[innerName] as { properties: object }).properties)).toEqual([
      'apiVersion',
      'kind',
      'a',
    ]);
  });

  test('describes a type once, and adds what is said later', () => {
    const collector = new SchemaCollector({ version: 3, dialect: kubernetes });
    collector.refer(inner, { 'x-first': 1 });
    collector.refer(inner, { 'x-second': 2 });
    expect(Object.keys(collector.schemas)).toEqual([innerName]);
    expect(collector.schemas[innerName]).toMatchObject({ 'x-first': 1, 'x-second': 2, type: 'object' });
  });

  test('copes with types that contain themselves', () => {
    const fields: { name: string; number: number; type: SchemaType }[] = [];
    const tree: StructType = { is: 'struct', home: 'core/v1', name: 'Tree', about: '', fields };
    fields.push({ name: 'children', number: 1, type: listOf(tree) }, { name: 'parent', number: 2, type: tree });
    const collector = new SchemaCollector({ version: 2, dialect: kubernetes });
    const reference = collector.refer(tree);
    expect(collector.schemas['io.k8s.api.core.v1.Tree']).toMatchObject({
      properties: { children: { type: 'array', items: reference }, parent: reference },
    });
  });

  test.each<[string, SchemaType, object]>([
    ['string', string, { type: 'string' }],
    ['int32', int32, { type: 'integer', format: 'int32' }],
    ['int64', int64, { type: 'integer', format: 'int64' }],
    ['bool', bool, { type: 'boolean' }],
    ['double', double, { type: 'number', format: 'double' }],
    ['bytes', bytes, { type: 'string', format: 'byte' }],
    ['date-time', dateTime, refersTo('apis.meta.v1.Time')],
    ['micro-time', microTime, refersTo('apis.meta.v1.MicroTime')],
    ['fields-v1', fieldsV1, refersTo('apis.meta.v1.FieldsV1')],
    ['quantity', quantity, refersTo('api.resource.Quantity')],
    ['int-or-string', intOrString, refersTo('util.intstr.IntOrString')],
    ['raw-extension', rawExtension, refersTo('runtime.RawExtension')],
  ])('describes %s', (_, type, expected) => {
    const holder = struct('core/v1', 'Holder', '', { it: field(1, type) });
    const collector = new SchemaCollector({ version: 3, dialect: kubernetes });
    collector.refer(holder);
    expect(collector.schemas['io.k8s.api.core.v1.Holder']).toMatchObject({ properties: { it: expected } });
  });
});
