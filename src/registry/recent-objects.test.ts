import { expect, test } from 'vitest';
import type { ApiObject } from '../meta/object.ts';
import { revision } from '../meta/revision.ts';
import { noteGivenEmpty } from '../schema/given-empty.ts';
import { RecentObjects } from './recent-objects.ts';

const object = (name: string): ApiObject => ({ kind: 'Thing', apiVersion: 'v1', metadata: { name } });

test('an object is found at the revision it was written with, and at no other', () => {
  const recent = new RecentObjects();
  const written = object('a');
  recent.keep('/things/a', revision(7), written, 100);
  expect(recent.find('/things/a', revision(7))).toBe(written);
  expect(recent.find('/things/a', revision(8))).toBeUndefined();
  expect(recent.find('/things/b', revision(7))).toBeUndefined();
});

test('a large object is not kept, and what was kept before it is forgotten', () => {
  const recent = new RecentObjects();
  recent.keep('/things/a', revision(1), object('a'), 100);
  recent.keep('/things/a', revision(2), object('a'), 1_000_000);
  expect(recent.find('/things/a', revision(1))).toBeUndefined();
  expect(recent.find('/things/a', revision(2))).toBeUndefined();
});

test('an object in which something was given empty is not the one that is stored', () => {
  const recent = new RecentObjects();
  const written = { ...object('a'), spec: { items: null } };
  noteGivenEmpty(written.spec, 'items', 'list');
  recent.keep('/things/a', revision(1), written, 100);
  expect(recent.find('/things/a', revision(1))).toBeUndefined();
});

test('those written longest ago make room', () => {
  const recent = new RecentObjects();
  for (let i = 0; i < 1000; i++) {
    recent.keep(`/things/${i}`, revision(i + 1), object(`${i}`), 100);
    recent.keep('/things/busy', revision(i + 1), object('busy'), 100);
  }
  expect(recent.find('/things/0', revision(1))).toBeUndefined();
  expect(recent.find('/things/999', revision(1000))).toBeDefined();
  expect(recent.find('/things/busy', revision(1000))).toBeDefined();
});
