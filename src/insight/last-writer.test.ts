import { expect, test } from 'vitest';
import type { ApiObject } from '../meta/object.ts';
import { lastWriter } from './last-writer.ts';

const entry = (manager: string, time: string, fields: object, more: object = {}) => ({
  ...{ manager, operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1: fields },
  ...more,
});
const object = (...managedFields: readonly object[]) =>
  ({ metadata: { name: 'a', managedFields } }) as unknown as ApiObject;
const early = '2026-01-01T00:00:00Z';
const late = '2026-01-01T00:00:05Z';

test('the writer of a new object is its only manager', () => {
  expect(lastWriter(undefined, object(entry('kubectl', early, {})))).toEqual({
    ...{ manager: 'kubectl', operation: 'Update', time: early },
  });
});

test('a manager that only lost fields to another one in the same second is not the writer', () => {
  const before = object(entry('a', early, { 'f:data': { 'f:x': {}, 'f:y': {} } }));
  const after = object(entry('a', early, { 'f:data': { 'f:x': {} } }), entry('b', early, { 'f:data': { 'f:y': {} } }));
  expect(lastWriter(before, after)?.manager).toBe('b');
});

test('of several changed entries the newest is that of the writer', () => {
  const before = object(entry('a', early, { 'f:x': {} }), entry('b', early, { 'f:y': {} }));
  const after = object(entry('a', early, {}), entry('b', late, { 'f:y': {} }, { subresource: 'status' }));
  expect(lastWriter(before, after)).toMatchObject({ manager: 'b', subresource: 'status', time: late });
});

test('an object without managers has no writer', () => {
  expect(lastWriter(undefined, { metadata: {} } as ApiObject)).toBeUndefined();
});
