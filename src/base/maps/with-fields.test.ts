import { describe, expect, it } from 'vitest';
import { hiddenNote, shallowCopy, withFields, withoutField } from './with-fields.ts';

describe('withFields', () => {
  it('sets fields in place, adds new ones at the end, and leaves the object as it was', () => {
    const object: { readonly a: number; readonly b: number; readonly c?: number } = { a: 1, b: 2 };
    const changed = withFields(object, { a: 3, c: 4 });
    expect(JSON.stringify(changed)).toBe('{"a":3,"b":2,"c":4}');
    expect(object).toEqual({ a: 1, b: 2 });
  });

  it('leaves fields as they are whose new value is undefined', () => {
    const object: { readonly a: number; readonly b?: number } = { a: 1 };
    expect(Object.keys(withFields(object, { a: undefined, b: undefined }))).toEqual(['a']);
    expect(withFields(object, { a: undefined })).toEqual({ a: 1 });
  });

  it('keeps the hidden note, which JSON does not show', () => {
    const object = { a: 1, [hiddenNote]: 'note' };
    expect(withFields(object, { a: 2 })[hiddenNote]).toBe('note');
  });

  it('leaves out one field, and keeps the hidden note', () => {
    const object = { a: 1, b: 2, [hiddenNote]: 'note' };
    const left = withoutField(object, 'a');
    expect(JSON.stringify(left)).toBe('{"b":2}');
    expect(left[hiddenNote]).toBe('note');
  });

  it('copies a field named __proto__ as a field', () => {
    const copy = shallowCopy(JSON.parse('{"__proto__":{"a":1}}') as { a?: number });
    expect(copy.a).toBeUndefined();
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":1}}');
  });
});
