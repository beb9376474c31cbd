import { expect, test } from 'vitest';
import type { StoredChange } from '../controllers/object-feed.ts';
import type { ApiObject, ObjectMeta } from '../meta/object.ts';
import { ObjectCache } from './object-cache.ts';

const resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

const object = (name: string, revision: number, metadata: ObjectMeta = {}): ApiObject => ({
  ...{ kind: 'Pod', apiVersion: 'v1' },
  metadata: { name, namespace: 'a', uid: `uid of ${name}`, resourceVersion: String(revision), ...metadata },
});

const change = (name: string, revision: number, metadata?: ObjectMeta): StoredChange => ({
  ...{ resource, namespace: 'a', name, revision },
  json: Buffer.from(JSON.stringify(object(name, revision, metadata))),
});

const removal = (name: string, revision: number): StoredChange => ({ ...change(name, revision), json: undefined });

function start() {
  const cache = new ObjectCache<ApiObject>();
  const seen: string[] = [];
  const text = (one: ApiObject | undefined) => one && `${one.metadata.name}@${one.metadata.resourceVersion}`;
  cache.subscribe({ onChange: (current, previous) => seen.push(`${text(previous)} to ${text(current)}`) });
  cache.onSynced();
  return { cache, seen };
}

test('object cache: reports each version once, that of an own write before the feed does', () => {
  const { cache, seen } = start();
  cache.put(object('x', 5));
  cache.onChange(change('x', 5));
  cache.onChange(change('x', 7));
  cache.put(object('x', 6));
  cache.onChange(removal('x', 8));
  expect(seen).toEqual(['undefined to x@5', 'x@5 to x@7', 'x@7 to undefined']);
});

test('object cache: an answer that comes after the deletion brings nothing back', () => {
  const { cache } = start();
  cache.onChange(change('x', 5));
  cache.onChange(removal('x', 6));
  cache.put(object('x', 5));
  expect(cache.get('a/x')).toBeUndefined();
});

test('object cache: an accepted deletion is seen until the feed reports it', () => {
  const { cache } = start();
  cache.onChange(change('x', 5));
  cache.amend(object('x', 5), { deletionTimestamp: '2030-01-01T00:00:00Z' });
  expect(cache.get('a/x')?.metadata.deletionTimestamp).toBe('2030-01-01T00:00:00Z');
  cache.amend(object('x', 5, { uid: 'another' }), { deletionTimestamp: '2031-01-01T00:00:00Z' });
  cache.onChange(change('x', 6));
  expect(cache.get('a/x')?.metadata.deletionTimestamp).toBeUndefined();
});

test('object cache: finds objects by namespace and controller, and orphans', () => {
  const { cache } = start();
  const owner = { apiVersion: 'v1', kind: 'K', name: 'o', uid: 'owner', controller: true };
  cache.onChange(change('owned', 1, { ownerReferences: [owner] }));
  cache.onChange(change('alone', 2));
  const names = (all: Iterable<ApiObject>) => [...all].map(({ metadata }) => metadata.name);
  expect([names(cache.controlledBy('owner')), names(cache.orphansIn('a'))]).toEqual([['owned'], ['alone']]);
  cache.onChange(change('owned', 3));
  expect([names(cache.controlledBy('owner')), names(cache.orphansIn('a'))]).toEqual([[], ['alone', 'owned']]);
  cache.onRestart();
  expect(names(cache.inNamespace('a'))).toEqual([]);
});

test('object cache: keeps no managers of fields', () => {
  const { cache } = start();
  cache.onChange(change('x', 5, { managedFields: [{ manager: 'm' }] }));
  expect(cache.get('a/x')?.metadata.managedFields).toBeUndefined();
});
