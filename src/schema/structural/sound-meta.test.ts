import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import { objectMeta } from '../../groups/meta/v1/types.ts';
import { lacksDefaults, settleStored } from '../object-type.ts';
import type { Schema } from './schema.ts';
import { withSoundDefaults } from './sound-defaults.ts';
import type { StructuralType } from './structural-type.ts';

const embedded = (more: Schema): Schema => ({ type: 'object', 'x-kubernetes-embedded-resource': true, ...more });
const typeOf = (properties: Record<string, Schema>): StructuralType => ({
  is: 'structural',
  home: 'example.com/v1',
  name: 'Thing',
  about: '',
  meta: objectMeta,
  schema: withSoundDefaults({ type: 'object', properties }, objectMeta),
});
const asStored = (type: StructuralType, object: JsonObject) => settleStored(type, object).object;
const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a', generation: 1 } };

test('what is no metadata of an embedded object goes when the object is read', () => {
  const type = typeOf({ inner: embedded({ 'x-kubernetes-preserve-unknown-fields': true }) });
  const metadata = { name: 'b', unknown: 1, labels: { a: 'b' }, annotations: { a: 42 } };
  const stored = { ...thing, inner: { apiVersion: 7, kind: 'K', metadata, other: 1 } };
  expect(asStored(type, stored)['inner']).toEqual({
    kind: 'K',
    metadata: { name: 'b', labels: { a: 'b' } },
    other: 1,
  });
});

test('sound metadata stays the very metadata', () => {
  const type = typeOf({ inner: embedded({ 'x-kubernetes-preserve-unknown-fields': true }) });
  const stored = asStored(type, { ...thing, inner: { apiVersion: 'v1', kind: 'K', metadata: { name: 'b' } } });
  expect(asStored(type, stored)).toBe(stored);
});

test.each<[string, Schema, unknown]>([
  [
    'of fields',
    { metadata: { type: 'object', properties: { name: { default: 'n' }, odd: { default: 'u' } } } },
    { name: 'n' },
  ],
  ['of a field of a wrong type', { metadata: { type: 'object', properties: { labels: { default: 'u' } } } }, {}],
])('defaults %s in embedded metadata are metadata', (_, properties, expected) => {
  const type = typeOf({ inner: embedded({ properties: properties as Record<string, Schema> }) });
  const inner = { apiVersion: 'v1', kind: 'K', metadata: {} };
  expect(asStored(type, { ...thing, inner })['inner']).toEqual({ ...inner, metadata: expected });
});

test('the default of embedded metadata itself is kept, as far as it is metadata', () => {
  const metadata = { type: 'object', default: { name: 'n', odd: 'u' } };
  const type = typeOf({ inner: embedded({ properties: { metadata } }) });
  const inner = { apiVersion: 'v1', kind: 'K' };
  expect(asStored(type, { ...thing, inner })['inner']).toEqual({ ...inner, metadata: { name: 'n' } });
});

test('an object lacks defaults wherever they are', () => {
  const type = typeOf({ spec: { type: 'object', properties: { a: { type: 'string', default: 'x' } } } });
  expect(lacksDefaults(type, { ...thing, spec: {} })).toBe(true);
  expect(lacksDefaults(type, { ...thing, spec: { a: 'y' } })).toBe(false);
  expect(lacksDefaults(type, thing)).toBe(false);
});
