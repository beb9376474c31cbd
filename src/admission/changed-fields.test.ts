import { expect, test } from 'vitest';
import type { ApiObject } from '../meta/object.ts';
import { changedFields, changeLimits } from './changed-fields.ts';

const object = (more: object) => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, ...more }) as ApiObject;

test('changed fields: one line for each field, with its old and its new value', () => {
  const before = object({ spec: { priority: 1, containers: [{ image: 'a' }], nodeName: 'n' } });
  const after = object({ spec: { priority: 2, containers: [{ image: 'a' }, { image: 'b' }] } });
  expect(changedFields(before, after).split('\n')).toEqual([
    'spec.priority: 1 → 2',
    'spec.containers[1]: absent → {"image":"b"}',
    'spec.nodeName: "n" → absent',
  ]);
});

test('changed fields: equal objects have no lines', () => {
  expect(changedFields(object({}), object({}))).toBe('');
});

test('changed fields: the text of large changes is cut', () => {
  const spec = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`key-${at}`, 'x'.repeat(1000)]));
  const text = changedFields(object({}), object({ spec: { a: 1 }, data: spec }));
  expect(text).toContain('spec: absent → {"a":1}');
  const many = changedFields(object({ data: {} }), object({ data: spec }));
  expect(Buffer.byteLength(many)).toBeLessThan(changeLimits.bytes + 20);
  expect(many.split('\n')[0]?.length).toBeLessThan(changeLimits.valueLength + 40);
});
