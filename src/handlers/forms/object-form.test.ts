import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { plainJson, type Representation } from '../../codec/accept.ts';
import { decodeObjectMessage } from '../../codec/protobuf/object-message.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { partialObjectMetadata } from '../../groups/meta/v1/types.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import { revision } from '../../meta/revision.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { decoderOf } from '../../schema/decode.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import type { ResourceDefinition } from '../../schema/resource.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { valuesOf } from '../../testing/values-of-type.ts';
import { type Shape, shapeItem } from '../shape.ts';
import { type ObjectForm, objectFormOf } from './object-form.ts';

const definitions = builtInGroups(kubernetes).flatMap(({ resources }) => resources);
const configMaps = definitions.find(({ plural }) => plural === 'configmaps') as ResourceDefinition;
const metadataJson: Representation = { ...plainJson, as: 'PartialObjectMetadata' };
const metadataProtobuf: Representation = { ...metadataJson, format: 'protobuf' };

function shape(definition: ResourceDefinition, form: Representation): Shape {
  const context = { dialect: kubernetes, clock: new FakeClock() };
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
