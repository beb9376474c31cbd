import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../meta/object.ts';
import { revision } from '../meta/revision.ts';
import { EncodedObject } from './encoded-object.ts';

const textOf = (draft: EncodedObject) => Buffer.from(draft.value).toString();

describe('a draft', () => {
  const tricky = fc.constantFrom('managedFields', '"managedFields":[]', '\\"managedFields":[]', 'other');
  const strings = fc.dictionary(tricky, tricky, { noNullPrototype: true });
  const entry = fc.record({ manager: tricky, fieldsV1: fc.dictionary(tricky, strings, { noNullPrototype: true }) });
  const metadata = fc.record(
    {
      name: tricky,
      labels: strings,
      annotations: strings,
      managedFields: fc.array(fc.oneof(entry, fc.constant({}), fc.constant(null)), { maxLength: 4 }),
    },
    { requiredKeys: ['name'] },
  );
  const object = fc.record(
    {
      kind: fc.constant('Any'),
      apiVersion: fc.constant('v1'),
      metadata,
      managedFields: fc.constant([]),
      data: strings,
    },
    { requiredKeys: ['kind', 'apiVersion', 'metadata'] },
  );

  test('has the text of its object, whatever stands in it', () => {
    fc.assert(
      fc.property(object, (made) => {
        const whole = JSON.stringify(made);
        // what was written before comes from the memory of the entries
        for (let time = 0; time < 2; time++)
          expect(textOf(new EncodedObject(made as unknown as ApiObject))).toBe(whole);
        expect(JSON.stringify(made)).toBe(whole);
      }),
    );
  });

  test('has no version before it is stored, and that version afterwards', () => {
    const made: ApiObject = {
      apiVersion: 'v1',
      kind: 'Any',
      metadata: { name: 'one', resourceVersion: '7', managedFields: [{ manager: 'a' }] },
    };
    const draft = new EncodedObject(made);
    expect(JSON.parse(textOf(draft)).metadata).toEqual({ name: 'one', managedFields: [{ manager: 'a' }] });
    expect(draft.at(revision(8))).toEqual({ ...made, metadata: { ...made.metadata, resourceVersion: '8' } });
    expect(made.metadata.resourceVersion).toBe('7');
  });

  test('writes integers that are too long for numbers', () => {
    const made = { apiVersion: 'v1', kind: 'Any', metadata: { managedFields: [{ manager: 'a' }] }, size: 2n ** 60n };
    expect(textOf(new EncodedObject(made as unknown as ApiObject))).toBe(
      '{"apiVersion":"v1","kind":"Any","metadata":{"managedFields":[{"manager":"a"}]},"size":1152921504606846976}',
    );
  });
});
