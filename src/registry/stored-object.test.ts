import { describe, expect, test } from 'vitest';
import { revision } from '../meta/revision.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { StoredObject } from './stored-object.ts';

const definition = {} as ResourceDefinition;
const uid = '11111111-2222-3333-4444-555555555555';

const stored = (metadata: object, more: object = {}) =>
  StoredObject.of(definition, {
    key: '/things/a',
    revision: revision(7),
    value: Buffer.from(JSON.stringify({ kind: 'Thing', apiVersion: 'v1', metadata, ...more })),
  });

describe('an object at another revision', () => {
  test.each<readonly [string, object, object]>([
    ['as we write it', { name: 'a', uid, labels: { a: '"uid":"' } }, { spec: { resourceVersion: '7' } }],
    ['with a uid of another form', { name: 'a', uid: 'short', labels: {} }, {}],
    [
      'with a short uid and a quote where a longer one would end',
      { name: 'a', uid: 'u', labels: { key: 'x'.repeat(16) } },
      {},
    ],
    ['without a uid', { name: 'a' }, { data: {} }],
  ])('%s differs in nothing else', (_title, metadata, more) => {
    const before = stored(metadata, more);
    const after = before.at(revision(12_345));
    expect(after.revision).toBe(12_345);
    expect(after.parse()).toEqual({ ...before.parse(), metadata: { ...metadata, resourceVersion: '12345' } });
    expect(Buffer.from(after.line).at(-1)).toBe(0x0a);
  });
});
