import { expect, test } from 'vitest';
import { withMeta } from './object.ts';

const object = { kind: 'A', apiVersion: 'v1', metadata: { name: 'a', uid: 'u', labels: { x: 'y' } }, data: { k: 'v' } };

test('changed metadata comes in a new object', () => {
  const changed = withMeta(object, { uid: 'v', generation: 2 });
  expect(changed).toEqual({ ...object, metadata: { name: 'a', uid: 'v', labels: { x: 'y' }, generation: 2 } });
  expect(object.metadata.uid).toBe('u');
});

test('undefined removes a field, also one that is not there', () => {
  const changed = withMeta(object, { labels: undefined, generation: undefined });
  expect(Object.keys(changed.metadata)).toEqual(['name', 'uid']);
});

test('fields keep their place', () => {
  expect(Object.keys(withMeta(object, { name: 'b' }).metadata)).toEqual(['name', 'uid', 'labels']);
});

test('a change to an equal value returns the same object', () => {
  expect(withMeta(object, { uid: 'u', generation: undefined })).toBe(object);
});
