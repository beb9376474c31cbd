import { expect, test } from 'vitest';
import { objectMeta } from '../../groups/meta/v1/types.ts';
import { field, mapOf, string, struct } from '../../schema/types.ts';
import { leaf } from '../fields/field-set.ts';
import { objectTopology } from '../typed/object-topology.ts';
import { ConflictError } from './conflict.ts';
import { ownerOf } from './managers.ts';
import { afterApply, afterUpdate } from './ownership.ts';

const thing = struct('test/v1', 'Thing', '', {
  metadata: field(1, objectMeta, { always: true }),
  data: field(2, mapOf(string)),
});
const topology = objectTopology(thing, []);

const named = { operation: 'Update', subresource: '' } as const;
const other = ownerOf({ ...named, manager: 'other', apiVersion: 'test/v2' }, undefined, { 'f:data': { 'f:a': leaf } });
const applier = ownerOf({ manager: 'me', operation: 'Apply', subresource: '', apiVersion: 'test/v2' }, undefined, {
  'f:data': { 'f:b': leaf, 'f:c': leaf },
});
/** As a webhook that converts objects answers. */
const versions = { topologyOf: () => topology, convert: (object: object) => Promise.resolve(object) };
const live = { metadata: {}, data: { a: '1', b: '1', c: '1' } };

test('an update waits for the conversion to the version of another manager', async () => {
  const next = { metadata: {}, data: { a: '2', b: '1', c: '1' } };
  const by = { ...named, manager: 'me', apiVersion: 'test/v1' };
  const owned = await afterUpdate({ live, next, managers: [other], by, versions });
  expect(owned.managers).toEqual([]);
  expect(owned.taken).toEqual({ 'f:data': { 'f:a': leaf } });
});

test('an apply waits for the conversion to the version of what it applied before', async () => {
  const by = { manager: 'me', operation: 'Apply', subresource: '', apiVersion: 'test/v1' } as const;
  const request = { live, managers: [other, applier], by, versions, force: false };
  const applied = await afterApply({ ...request, config: { data: { b: '1' } } });
  expect(applied.object).toEqual({ metadata: {}, data: { a: '1', b: '1' } });
  const refused = Promise.resolve(afterApply({ ...request, config: { data: { a: '2' } } }));
  await expect(refused).rejects.toThrow(ConflictError);
});
