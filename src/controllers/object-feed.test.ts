import { expect, test } from 'vitest';
import { beforeManagers, mentioning, pathOf } from './object-feed.ts';

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

test.each([
  ['system:node:a.b-c', '/apis/g/v1/things/system:node:a.b-c'],
  ['a?dryRun=All', '/apis/g/v1/things/a%3FdryRun%3DAll'],
  ['a#b c', '/apis/g/v1/things/a%23b%20c'],
  ['', '/apis/g/v1/things'],
])('the path of %j is that of no other object', (name, path) => {
  const resource = { group: 'g', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false };
  expect(pathOf(resource, { namespace: '', name })).toBe(path);
});
