import { describe, expect, test } from 'vitest';
import { ApiError } from '../meta/status.ts';
import { field, int32, mapOf, string, struct } from '../schema/types.ts';
import { decodeObject } from './decode-object.ts';

const meta = struct('meta/v1', 'ObjectMeta', '', { name: field(1, string), labels: field(2, mapOf(string)) });
const type = struct('apps/v1', 'Widget', '', {
  metadata: field(1, meta, { always: true }),
  size: field(2, int32),
  kindred: field(3, string),
});
const widget = { group: 'apps', version: 'v1', kind: 'Widget', type };
const gadget = { group: '', version: 'v1', kind: 'Gadget', type };

function refusal(value: unknown, expected = widget): ApiError {
  try {
    decodeObject(expected, value);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

describe('an object', () => {
  test('begins with its kind and apiVersion, then follows the declaration', () => {
    const { object } = decodeObject(widget, {
      size: 3,
      metadata: { name: 'a' },
      apiVersion: 'apps/v1',
      kind: 'Widget',
    });
    expect(JSON.stringify(object)).toBe('{"kind":"Widget","apiVersion":"apps/v1","metadata":{"name":"a"},"size":3}');
  });

  test.each([
    {},
    { kind: '', apiVersion: '' },
    { kind: 'Widget' },
    { apiVersion: 'apps/v1' },
    { kind: 'Widget', apiVersion: 'apps/v1' },
  ])('may leave to the URL what %j does not say', (said) => {
    expect(decodeObject(widget, said).object).toEqual({ kind: 'Widget', apiVersion: 'apps/v1', metadata: {} });
  });

  test('of the core group has a bare version', () => {
    expect(decodeObject(gadget, { apiVersion: 'v1' }).object.apiVersion).toBe('v1');
  });

  test('reports unknown fields, but not its own kind and apiVersion', () => {
    const value = { kind: 'Widget', apiVersion: 'apps/v1', metadata: { colour: 'red', kind: 'x' }, apiversion: '' };
    expect(decodeObject(widget, value).unknownFields).toEqual(['metadata.colour', 'metadata.kind', 'apiversion']);
  });

  // null leaves a Go string as it was: empty
  test.each([{ kind: null }, { apiVersion: null }])('may say nothing by %j', (said) => {
    expect(decodeObject(widget, said).object.kind).toBe('Widget');
  });

  test('of which nothing was said may be null', () => {
    expect(decodeObject(widget, null).object).toEqual(decodeObject(widget, {}).object);
  });
});

describe('what is refused', () => {
  test.each([
    ['text', 'string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '],
    [[], 'array into Go value'],
    [{ kind: 5 }, 'number into Go struct field .kind of type string'],
    [{ kind: {} }, 'object into Go struct field .kind of type string'],
    [{ apiVersion: true }, 'bool into Go struct field .apiVersion of type string'],
  ])('%j is of no kind at all', (value, why) => {
    const error = refusal(value);
    expect(error).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(error.message).toContain(`couldn't get version/kind; json parse error: json: cannot unmarshal ${why}`);
  });

  test('a version that is none', () => {
    expect(refusal({ apiVersion: 'a/b/c' }).message).toBe('unexpected GroupVersion string: a/b/c');
  });

  test('another version', () => {
    expect(refusal({ kind: 'Widget', apiVersion: 'apps/v2' }).message).toBe(
      'the API version in the data (apps/v2) does not match the expected API version (apps/v1)',
    );
    expect(refusal({ apiVersion: 'apps/v1' }, gadget).message).toBe(
      'the API version in the data (apps/v1) does not match the expected API version (v1)',
    );
  });

  test('another kind', () => {
    expect(refusal({ kind: 'Gadget', apiVersion: 'apps/v1' })).toMatchObject({
      code: 400,
      message: expect.stringMatching(/^Gadget in version "v1" cannot be handled as a Widget/) as string,
    });
  });

  test('a field of the wrong type, with its path', () => {
    const error = refusal({ metadata: { labels: { a: 1 } } });
    expect(error).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(error.message).toBe(
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    );
  });
});

test('names that JavaScript knows are unknown fields', () => {
  const { object, unknownFields } = decodeObject(widget, JSON.parse('{"__proto__":{"size":1},"constructor":{}}'));
  expect(unknownFields).toEqual(['__proto__', 'constructor']);
  expect(object).toEqual({ kind: 'Widget', apiVersion: 'apps/v1', metadata: {} });
});
