import { expect, test } from 'vitest';
import { beforeManagers, mentioning, metadataOf, objectOf, pathOf, specOf } from './object-feed.ts';

const bytes = (object: object) => Buffer.from(JSON.stringify(object));
const hasOwners = mentioning('"ownerReferences":[');

test('metadata is looked at up to the managers of fields, who may name every field', () => {
  const managedFields = [{ manager: 'a', fieldsV1: { 'f:metadata': { 'f:ownerReferences': {} } } }];
  const plain = {
    metadata: { name: 'a', labels: { managedFields: '[' }, managedFields },
    data: { ownerReferences: ['b'] },
  };
  expect(hasOwners(bytes(plain))).toBe(true);
  expect(hasOwners(beforeManagers(bytes(plain)))).toBe(false);
  const owned = { metadata: { name: 'a', ownerReferences: [{ uid: '1' }], managedFields } };
  expect(hasOwners(beforeManagers(bytes(owned)))).toBe(true);
});

test('an object without managers is looked at as a whole', () => {
  const object = bytes({ metadata: { name: 'a', annotations: { note: '"managedFields":[' } }, data: {} });
  expect(beforeManagers(object)).toEqual(object);
});

const someManagers = [{ manager: 'a', fieldsV1: {} }];

test.each([
  [
    'with managers',
    { metadata: { name: 'a', uid: '1', managedFields: someManagers }, data: {} },
    { name: 'a', uid: '1' },
  ],
  ['with nothing but managers', { metadata: { managedFields: someManagers } }, {}],
  ['without managers', { metadata: { name: 'a' }, data: {} }, { name: 'a' }],
  ['where a field has that name', { metadata: { name: 'a' }, managedFields: [1] }, { name: 'a' }],
  ['where a deeper field has it', { metadata: { name: 'a' }, spec: { x: 1, managedFields: [1] } }, { name: 'a' }],
  ['where a still deeper one has it', { metadata: { name: 'a' }, s: { t: { managedFields: [1] } } }, { name: 'a' }],
])('metadata is read without its managers: an object %s', (_title, object, metadata) => {
  expect(metadataOf(bytes(object))).toEqual(metadata);
});

test('bytes that are no object have no metadata', () => {
  expect(metadataOf(Buffer.from('{"metadata":{"managedFields":['))).toEqual({});
  expect(metadataOf(Buffer.from('none'))).toBeUndefined();
});

test.each([
  ['system:node:a.b-c', '/apis/g/v1/things/system:node:a.b-c'],
  ['a?dryRun=All', '/apis/g/v1/things/a%3FdryRun%3DAll'],
  ['a#b c', '/apis/g/v1/things/a%23b%20c'],
  ['', '/apis/g/v1/things'],
])('the path of %j is that of no other object', (name, path) => {
  const resource = { group: 'g', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false };
  expect(pathOf(resource, { namespace: '', name })).toBe(path);
});

test.each([
  ['small', 1],
  ['large', 400_000],
])('a %s object is read with its spec, and without managers of fields where it is large', (_, length) => {
  const managedFields = [{ manager: 'a', fieldsV1: { 'f:spec': {} } }];
  const object = {
    metadata: { name: 'a', managedFields },
    spec: { service: 'b' },
    status: { text: 'x'.repeat(length) },
  };
  expect(specOf(bytes(object))).toEqual({ service: 'b' });
  const shown = length === 1 ? object : { ...object, metadata: { name: 'a' } };
  expect(objectOf(bytes(object))).toEqual(shown);
  expect(specOf(bytes({ metadata: { name: 'a' }, status: object.status }))).toBeUndefined();
  expect(specOf(Buffer.from(`[${JSON.stringify(object)}`))).toBeUndefined();
});
