import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import { plainJson, type Representation } from '../../codec/accept.ts';
import { decodeObjectMessage } from '../../codec/protobuf/object-message.ts';
import { customDefinitions } from '../../custom-resources/definitions.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { partialObjectMetadata } from '../../groups/meta/v1/types.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import { revision } from '../../meta/revision.ts';
import { formatTime } from '../../meta/time.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { decoderOf } from '../../schema/decode.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { valuesOf } from '../../testing/values-of-type.ts';
import { type Shape, shapeItem } from '../shape.ts';
import { KeptForms } from './kept-forms.ts';
import { type ObjectForm, objectFormOf } from './object-form.ts';

const definitions = builtInGroups(kubernetes).flatMap(({ resources }) => resources);
const configMaps = definitions.find(({ plural }) => plural === 'configmaps') as ResourceDefinition;
const metadataJson: Representation = { ...plainJson, as: 'PartialObjectMetadata' };
const metadataProtobuf: Representation = { ...metadataJson, format: 'protobuf' };

function shape(definition: ResourceDefinition, form: Representation, clock = new FakeClock()): Shape {
  const context = { dialect: kubernetes, clock };
  return { definition, dialect: kubernetes, form, table: { definition, context, version: 'v1', include: 'Metadata' } };
}

const formOf = (definition: ResourceDefinition, form: Representation) =>
  objectFormOf(shape(definition, form)) as ObjectForm;

function storedText(definition: ResourceDefinition, text: string): StoredObject {
  return StoredObject.unversioned(definition, { key: '/a/b', value: Buffer.from(text), revision: revision(1) });
}

function stored(definition: ResourceDefinition, object: JsonObject): StoredObject {
  const typed = { kind: definition.kind, apiVersion: formatApiVersion(definition), ...object };
  return storedText(definition, JSON.stringify(typed));
}

describe('metadata made of text', () => {
  test('is that of the object, for every kind', () => {
    for (const definition of definitions) {
      if (definition.type.is !== 'struct') continue;
      const { type } = definition;
      fc.assert(
        fc.property(valuesOf(type), (value) => {
          const object = stored(definition, decoderOf(type)(value, new DecodeContext()) as JsonObject);
          if (object.parse().metadata === undefined) return;
          const expected = shapeItem(shape(definition, metadataJson), object.parse()).value as ApiObject;
          const text = Buffer.from(formOf(definition, metadataJson)(object)).toString();
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(expected)));
          const message = Buffer.from(formOf(definition, metadataProtobuf)(object));
          const partial = stored(definition, { metadata: expected.metadata as never });
          expect(decodeObjectMessage(partialObjectMetadata, message)).toEqual(
            decodeObjectMessage(partialObjectMetadata, Buffer.from(formOf(definition, metadataProtobuf)(partial))),
          );
        }),
        fuzzRuns(2),
      );
    }
  });

  test('ends where the metadata ends, whatever its strings hold', () => {
    const metadata = { name: 'a', annotations: { b: '}},"spec":{"\\', c: '{[' }, labels: {} };
    const object = stored(configMaps, { metadata, data: { metadata: '{' } });
    expect(JSON.parse(Buffer.from(formOf(configMaps, metadataJson)(object)).toString())).toMatchObject({ metadata });
  });

  test('is read from the parsed object where the text is not canonical', () => {
    const object = storedText(configMaps, '{ "metadata": { "name": "a" } }');
    const text = Buffer.from(formOf(configMaps, metadataJson)(object)).toString();
    expect(JSON.parse(text).metadata).toEqual({ name: 'a' });
    const message = formOf(configMaps, metadataProtobuf)(object);
    expect(decodeObjectMessage(partialObjectMetadata, message)).toMatchObject({ metadata: { name: 'a' } });
  });

  test('is larger than the memory at hand', () => {
    const metadata = { name: 'a', annotations: { large: 'x'.repeat(200_000) } };
    const object = stored(configMaps, { metadata });
    expect(JSON.parse(Buffer.from(formOf(configMaps, metadataJson)(object)).toString()).metadata).toEqual(metadata);
  });

  test('lacks the annotation that stands for a field', () => {
    const definition = { ...configMaps, quirks: { annotationOfField: 'field' } };
    const object = stored(definition, { metadata: { name: 'a', annotations: { field: '1', other: '2' } } });
    const text = Buffer.from(formOf(definition, metadataJson)(object)).toString();
    expect(JSON.parse(text).metadata.annotations).toEqual({ other: '2' });
    const message = formOf(definition, metadataProtobuf)(object);
    expect(decodeObjectMessage(partialObjectMetadata, message)['metadata']).toMatchObject({
      annotations: { other: '2' },
    });
  });
});

const tableJson: Representation = { ...plainJson, as: 'Table' };

describe('rows made of text', () => {
  test('are those of the object, for every kind', () => {
    for (const definition of definitions) {
      if (definition.type.is !== 'struct') continue;
      const { type } = definition;
      const shown = shape(definition, tableJson);
      const form = objectFormOf(shown);
      if (form === undefined) continue;
      fc.assert(
        fc.property(valuesOf(type), (value) => {
          const object = stored(definition, decoderOf(type)(value, new DecodeContext()) as JsonObject);
          if (object.parse().metadata === undefined) return;
          const expected = JSON.stringify(shapeItem(shown, object.parse()).value);
          expect(JSON.parse(Buffer.from(form(object)).toString())).toEqual(JSON.parse(expected));
        }),
        fuzzRuns(3),
      );
    }
  });

  test('are as they would be made again, whenever they are asked for', () => {
    const ages = fc.array(fc.integer({ min: 0, max: 4_000_000_000 }), { minLength: 2, maxLength: 4 });
    for (const definition of definitions) {
      const clock = new FakeClock();
      const fresh = shape(definition, tableJson, clock);
      const form = objectFormOf({ ...fresh, kept: new KeptForms(1_000_000, clock) });
      if (definition.type.is !== 'struct' || form === undefined) continue;
      const { type } = definition;
      fc.assert(
        fc.property(valuesOf(type), ages, (value, steps) => {
          const created = { creationTimestamp: formatTime(clock.now()) };
          const { metadata, ...rest } = decoderOf(type)(value, new DecodeContext()) as JsonObject;
          const object = stored(definition, { metadata: { ...(metadata as JsonObject), ...created }, ...rest });
          for (const ms of steps.flatMap((step) => [step % 2000, step])) {
            clock.advance(ms);
            const again = (objectFormOf(fresh) as ObjectForm)(object);
            const text = Buffer.from(again).toString();
            expect(Buffer.from(form(object)).toString()).toBe(text);
          }
        }),
        fuzzRuns(3),
      );
    }
  });

  test.each(['None', 'Object'] as const)('carry %s of the object', (include) => {
    const options = shape(configMaps, tableJson);
    const shown = { ...options, table: { ...options.table, include } };
    const object = stored(configMaps, { metadata: { name: 'é"' }, data: { a: '1', 'b"}': '{' } });
    const row = Buffer.from((objectFormOf(shown) as ObjectForm)(object)).toString();
    expect(row).toBe(JSON.stringify(shapeItem(shown, object.parse()).value));
  });

  test('are those of the parsed object where the text is not canonical', () => {
    const object = storedText(configMaps, '{ "metadata": { "name": "a" }, "data": { "b": "" } }');
    const row = JSON.parse(Buffer.from(formOf(configMaps, tableJson)(object)).toString()) as { cells: unknown[] };
    expect(row.cells.slice(0, 2)).toEqual(['a', 1]);
  });
});

/** A custom resource with these columns, in its second version. */
function boxes(...jsonPaths: readonly string[]): ResourceDefinition {
  const types = ['string', 'integer', 'number', 'boolean', 'date'];
  const columns = jsonPaths.map((jsonPath, index) => ({
    name: `c${index}`,
    type: types[index % types.length],
    jsonPath,
  }));
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = ['v1', 'v2'].map((name) => ({
    ...{ name, served: true, storage: name === 'v1', schema },
    additionalPrinterColumns: columns,
  }));
  const spec = { group: 'x.example.com', scope: 'Namespaced', versions, names: { plural: 'boxes', kind: 'Box' } };
  const crd = { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1', metadata: {}, spec };
  return customDefinitions(crd as never, { dialect: kubernetes })[1] as ResourceDefinition;
}

const fieldNames = ['a', 'b', 'é"', '__proto__', 'metadata', 'name', 'items'];
const paths = fc
  .array(fc.constantFrom('.a', '.b', '.é"', '.__proto__', '.metadata', '.items', '[0]', '[*]', '[?(@.a)]', '..b'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((steps) => steps.join(''));
const { members } = fc.letrec<{ value: unknown; members: object }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 1, 12_345_678_901_234, 1.5, 'x', '2026-01-01T00:00:00Z', '}"{\\', 'é'),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('members'),
  ),
  members: fc.dictionary(fc.constantFrom(...fieldNames), tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));

describe('custom resources', () => {
  test('have the rows of the parsed object, whatever the paths of their columns and the object', () => {
    fc.assert(
      fc.property(
        fc.array(paths, { maxLength: 5 }),
        fc.array(members, { minLength: 1, maxLength: 4 }),
        (some, contents) => {
          const definition = boxes(...some);
          const shown = shape(definition, tableJson);
          const form = objectFormOf(shown);
          if (form === undefined) return;
          for (const content of contents) {
            const { metadata: _, ...rest } = content as JsonObject;
            const object = stored(definition, { metadata: { name: 'x', generation: 1 }, ...rest });
            const expected = JSON.stringify(shapeItem(shown, object.parse()).value);
            expect(Buffer.from(form(object)).toString()).toBe(expected);
          }
        },
      ),
      fuzzRuns(300),
    );
  });

  test('are parsed where a column may show anything of the object', () => {
    for (const path of ['..a', '[*]', '.*']) expect(objectFormOf(shape(boxes('.a', path), tableJson))).toBeUndefined();
    expect(objectFormOf(shape(boxes('.a', '.b[*]..c', '.metadata.labels'), tableJson))).toBeDefined();
  });

  test('are read as far as the last field that a column shows', () => {
    const definition = boxes('.a.b');
    const text =
      '{"kind":"Box","apiVersion":"x.example.com/v2","metadata":{"name":"x","resourceVersion":"1"},"a":{"b":"1"},broken';
    const row = JSON.parse(Buffer.from(formOf(definition, tableJson)(storedText(definition, text))).toString()) as {
      cells: unknown[];
    };
    expect(row.cells).toEqual(['x', '1']);
  });

  test('have metadata in every form, also in protobuf', () => {
    const definition = boxes('.a');
    const object = stored(definition, { metadata: { name: 'x', labels: { a: 'b' } }, spec: {} });
    expect(JSON.parse(Buffer.from(formOf(definition, metadataJson)(object)).toString())).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'x', labels: { a: 'b' } },
    });
    const message = formOf(definition, metadataProtobuf)(object);
    expect(decodeObjectMessage(partialObjectMetadata, message)).toMatchObject({ metadata: { labels: { a: 'b' } } });
  });
});
