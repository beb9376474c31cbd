import { describe, expect, test } from 'vitest';
import type { ObjectMeta } from '../meta/object.ts';
import type { UpdateChecks } from '../schema/strategy.ts';
import { validateMetaUpdate } from './object-meta.ts';

const old: ObjectMeta = { name: 'a', uid: 'u' };

function counts(next: ObjectMeta, checks?: UpdateChecks): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { field } of validateMetaUpdate(next, old, checks)) found[field] = (found[field] ?? 0) + 1;
  return found;
}

describe('validation errors about metadata that changes', () => {
  test.each<[string, UpdateChecks | undefined, Record<string, number>]>([
    ['by default', undefined, { 'metadata.labels': 4, 'metadata.uid': 2, 'metadata.finalizers[0]': 2 }],
    [
      'where new objects are not looked at again',
      { meta: 0 },
      { 'metadata.labels': 3, 'metadata.uid': 2, 'metadata.finalizers[0]': 1 },
    ],
    ['where only the generic rules look', { meta: 0, metaChange: 0 }, { 'metadata.labels': 2, 'metadata.uid': 1 }],
    [
      'where new objects are looked at twice',
      { meta: 2 },
      { 'metadata.labels': 5, 'metadata.uid': 2, 'metadata.finalizers[0]': 3 },
    ],
  ])('%s', (_, checks, expected) => {
    expect(counts({ name: 'a', uid: 'v', labels: { 'a b': '' }, finalizers: ['x'] }, checks)).toEqual(expected);
  });

  test.each<[string, UpdateChecks | undefined, readonly string[]]>([
    ['as a change first', undefined, ['name', 'unclear', 'name', 'unclear']],
    ['as new first', { newFirst: true }, ['name', 'name', 'unclear', 'unclear']],
  ])('about finalizers are told in order, %s', (_, checks, expected) => {
    const found = validateMetaUpdate({ ...old, finalizers: ['-a'] }, old, checks);
    const words = { 'metadata.finalizers': 'name', 'metadata.finalizers[0]': 'unclear' };
    expect(found.map(({ field }) => words[field as keyof typeof words])).toEqual(expected);
  });

  test('name owners without their place', () => {
    const owner = { apiVersion: 'a/b/c', kind: '', name: 'n', uid: 'u' };
    const fields = Object.keys(counts({ ...old, ownerReferences: [owner] } as ObjectMeta));
    expect(fields).toEqual(['metadata.ownerReferences.apiVersion', 'metadata.ownerReferences.kind']);
  });

  test('name two ways to treat dependents', () => {
    expect(counts({ ...old, finalizers: ['orphan', 'foregroundDeletion'] })).toEqual({ 'metadata.finalizers': 2 });
  });
});
