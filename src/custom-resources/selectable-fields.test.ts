import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { revision } from '../meta/revision.ts';
import { StoredObject } from '../registry/stored-object.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { customDefinitions } from './definitions.ts';

const selectable = ['.spec.color', '.spec.inner.size', '.status.ready', '.spec.missing'];

function boxes(): ResourceDefinition {
  const versions = ['v1', 'v2'].map((name) => ({
    ...{ name, served: true, storage: name === 'v1' },
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    selectableFields: selectable.map((jsonPath) => ({ jsonPath })),
  }));
  const spec = { group: 'x.example.com', scope: 'Namespaced', versions, names: { plural: 'boxes', kind: 'Box' } };
  const crd = { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1', metadata: {}, spec };
  return customDefinitions(crd as never, { dialect: kubernetes })[0] as ResourceDefinition;
}

function stored(definition: ResourceDefinition, text: string): StoredObject {
  const entry = { key: '/x.example.com/boxes/a/b', value: Buffer.from(text), revision: revision(1) };
  return StoredObject.unversioned(definition, entry);
}

const values = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean(), fc.constant(null));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const objects = fc.record({
  metadata: fc.record({ name: fc.constant('b'), labels: maybe(fc.dictionary(fc.string(), fc.string())) }),
  spec: maybe(fc.record({ other: fc.jsonValue(), color: maybe(values), inner: maybe(fc.record({ size: values })) })),
  status: maybe(fc.oneof(fc.record({ ready: values }), fc.constant('none'))),
});

test('fields are read of the text as they are of the parsed object, one by one and all together', () => {
  const definition = boxes();
  fc.assert(
    fc.property(objects, fc.boolean(), (object, isSpaced) => {
      const typed = { kind: 'Box', apiVersion: 'x.example.com/v1', ...object };
      const text = JSON.stringify(typed, undefined, isSpaced ? 1 : undefined);
      for (const [name, read] of Object.entries(definition.selectableFields ?? {})) {
        const expected = read(JSON.parse(text) as ApiObject);
        expect(stored(definition, text).indexedField(name)).toBe(expected);
        expect(stored(definition, text).field(name)).toBe(expected);
      }
    }),
    fuzzRuns(200),
  );
});

test('no object is parsed as a whole', () => {
  const definition = boxes();
  const object = stored(
    definition,
    '{"kind":"Box","apiVersion":"x.example.com/v1","metadata":{},"spec":{"color":"red"}}',
  );
  const parse = vi.spyOn(object, 'parse');
  expect([object.indexedField('spec.color'), object.field('spec.inner.size')]).toEqual(['red', '']);
  expect(parse).not.toHaveBeenCalled();
});
