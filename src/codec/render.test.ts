import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { cluster, type Dialect, kubernetes } from '../meta/dialect.ts';
import { checkSubdomain } from '../meta/names.ts';
import type { Column } from '../schema/column.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { field, mapOf, string, struct } from '../schema/types.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { plainJson } from './accept.ts';
import { openEnvelope } from './protobuf/envelope.ts';
import { decodeMessage } from './protobuf/message.ts';
import { type IncludeObject, partialMetadata, renderValue, table, tableRow } from './render.ts';

const meta = struct('meta/v1', 'ObjectMeta', '', { name: field(1, string), creationTimestamp: field(8, string) });
const type = struct('test/v1', 'Thing', '', { metadata: field(1, meta), data: field(2, mapOf(string)) });

const thing = {
  kind: 'Thing',
  apiVersion: 'test/v1',
  metadata: { name: 'a', creationTimestamp: '2030-01-01T00:00:00Z' },
  data: { k: 'v' },
};

const definition: ResourceDefinition = {
  group: 'test',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  singular: 'thing',
  namespaced: true,
  verbs: [],
  type,
  storagePrefix: 'things',
  checkName: checkSubdomain,
};

const columns: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', about: 'Its name.', priority: 0, cell: (o) => o.metadata.name },
  { name: 'Age', type: 'integer', about: 'In milliseconds.', priority: 1, cell: (_, { clock }) => clock.now() },
];

const options = (
  over: Partial<ResourceDefinition> = {},
  dialect: Dialect = kubernetes,
  include: IncludeObject = 'None',
) => ({
  definition: { ...definition, ...over },
  context: { dialect, clock: new FakeClock(5000) },
  version: 'v1',
  include,
});

describe('a value', () => {
  test('as JSON is compact and ends in a line break', () => {
    expect(renderValue(thing, plainJson, type)).toBe(`${JSON.stringify(thing)}\n`);
  });

  test('as pretty JSON is indented by two and ends in no line break', () => {
    expect(renderValue({ a: [1] }, { ...plainJson, pretty: true }, type)).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  test('as YAML says the same', () => {
    const text = renderValue(thing, { ...plainJson, format: 'yaml' }, type);
    expect(parseYaml(String(text))).toEqual(thing);
  });

  test('as YAML keeps text that looks like something else', () => {
    const odd = {
      data: { a: 'true', b: '1', c: 'null', d: '', e: 'x: y', f: '- z', g: '#', h: 'multi\nline\n', i: '1e3' },
    };
    const text = renderValue(odd, { ...plainJson, format: 'yaml' }, type);
    expect(parseYaml(String(text))).toEqual(odd);
  });

  test('as protobuf comes in its envelope', () => {
    const bytes = renderValue(thing, { ...plainJson, format: 'protobuf' }, type) as Uint8Array;
    expect([...bytes.subarray(0, 4)]).toEqual([0x6b, 0x38, 0x73, 0x00]);
    const { kind, apiVersion, raw } = openEnvelope(bytes);
    expect({ kind, apiVersion, ...decodeMessage(type, raw) }).toEqual(thing);
  });
});

describe('a table', () => {
  test('describes its columns and carries its metadata', () => {
    const rows = [tableRow(thing, options({ columns }))];
    expect(table(rows, { resourceVersion: '7' }, options({ columns }))).toEqual({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7' },
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', description: 'Its name.', priority: 0 },
        { name: 'Age', type: 'integer', format: '', description: 'In milliseconds.', priority: 1 },
      ],
      rows: [{ cells: ['a', 5000], object: null }],
    });
  });

  test('of a later watch event leaves the columns out', () => {
    expect(table([], {}, options({ columns }), false)).toMatchObject({ columnDefinitions: null, rows: [] });
  });

  test('is of the version that was asked for', () => {
    expect(table([], {}, { ...options(), version: 'v1beta1' })).toMatchObject({ apiVersion: 'meta.k8s.io/v1beta1' });
  });

  test.each<[IncludeObject, unknown]>([
    ['None', null],
    ['Metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: thing.metadata }],
    ['Object', thing],
  ])('has rows that include %s', (include, object) => {
    expect(tableRow(thing, options({ columns }, kubernetes, include)).object).toEqual(object);
  });
});

describe('the table of a kind without columns', () => {
  test.each([
    ['kubernetes', kubernetes, 'Age', 'meta.k8s.io/v1'],
    ['cluster', cluster(), 'Created At', 'meta.api.cluster.local/v1'],
  ])('in the %s dialect has a name and when it was made', (_, dialect, second, apiVersion) => {
    const made = table([tableRow(thing, options({}, dialect))], {}, options({}, dialect));
    expect(made).toMatchObject({
      apiVersion,
      columnDefinitions: [
        { name: 'Name', type: 'string', format: 'name', priority: 0 },
        { name: second, type: 'date', format: '', priority: 0 },
      ],
      rows: [{ cells: ['a', '2030-01-01T00:00:00Z'] }],
    });
  });
});

test.each([
  [kubernetes, 'v1', 'meta.k8s.io/v1'],
  [kubernetes, 'v1beta1', 'meta.k8s.io/v1beta1'],
  [cluster({ apiDomain: 'example.com' }), 'v1', 'meta.example.com/v1'],
])('metadata alone has its own kind (%#)', (dialect, version, apiVersion) => {
  expect(partialMetadata(thing, {}, dialect, version)).toEqual({
    kind: 'PartialObjectMetadata',
    apiVersion,
    metadata: thing.metadata,
  });
});

test('an annotation that stands for a field is shown with the whole object only', () => {
  const quirks = { annotationOfField: 'numbered' };
  const annotated = (annotations: Record<string, string>) => ({ ...thing, metadata: { name: 'a', annotations } });
  const shown = (annotations: Record<string, string>) =>
    partialMetadata(annotated(annotations), { quirks }, kubernetes, 'v1').metadata;
  expect(shown({ numbered: '1' })).toEqual({ name: 'a' });
  expect(shown({ numbered: '1', other: '2' })).toEqual({ name: 'a', annotations: { other: '2' } });
});
