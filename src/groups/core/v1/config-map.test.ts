import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { configMap } from './config-map.ts';
import { maxDataBytes } from './data.ts';

const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T01:00:00Z') };

const make = (fields: object = {}): ApiObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'a', creationTimestamp: '2030-01-01T00:00:00Z' },
  ...fields,
});

const validationErrors = (fields: object) => configMap.strategy?.validate?.(make(fields), context) ?? [];
const changeErrors = (next: object, old: object) =>
  (configMap.strategy?.validateUpdate?.(make(next), make(old), context) ?? []).map((e) => `${e.field}: ${e.message}`);

describe('keys', () => {
  test.each([
    {},
    { data: {} },
    { data: { a: '', 'key.name': 'x', KEY_NAME: 'x', '-': 'x', '.hidden': 'x' } },
    { binaryData: { a: 'AA==' } },
    { data: { a: 'x' }, binaryData: { b: 'AA==' } },
  ])('of %j are fine', (fields) => {
    expect(validationErrors(fields)).toMatchObject([]);
  });

  test.each(['', '.', '..', '..a', 'a/b', 'a b', 'é', 'x'.repeat(254)])('may not be %j', (key) => {
    for (const bag of ['data', 'binaryData']) {
      const [first] = validationErrors({ [bag]: { [key]: 'AA==' } });
      expect(first).toMatchObject({ reason: 'FieldValueInvalid', field: `${bag}[${key}]` });
    }
  });

  test('may be __proto__, like any other name', () => {
    expect(validationErrors({ data: JSON.parse('{"__proto__":"x"}') as object })).toEqual([]);
  });

  test('may not be in both bags', () => {
    expect(validationErrors({ data: { k: 'x', l: 'y' }, binaryData: { k: 'AA==' } })).toMatchObject([
      {
        reason: 'FieldValueInvalid',
        field: 'data[k]',
        message: 'Invalid value: "k": duplicate of key present in binaryData',
      },
    ]);
  });
});

describe('size', () => {
  test.each([
    ['text of a mebibyte', { data: { a: 'x'.repeat(maxDataBytes) } }, true],
    ['a byte more', { data: { a: 'x'.repeat(maxDataBytes), b: 'y' } }, false],
    ['text of fewer characters but more bytes', { data: { a: 'é'.repeat(maxDataBytes / 2 + 1) } }, false],
    ['bytes, counted decoded', { binaryData: { a: Buffer.alloc(maxDataBytes).toString('base64') } }, true],
    ['both bags together', { data: { a: 'x'.repeat(maxDataBytes) }, binaryData: { b: 'AA==' } }, false],
  ])('%s', (_, fields, fits) => {
    expect(validationErrors(fields)).toMatchObject(
      fits
        ? []
        : [{ reason: 'FieldValueTooLong', field: '[]', message: 'Too long: may not be more than 1048576 bytes' }],
    );
  });
});

describe('immutable', () => {
  const detail = 'Forbidden: field is immutable when `immutable` is set';
  const sealed = { immutable: true, data: { a: 'x' } };

  test.each<[string, object, object, string[]]>([
    ['nothing changes', sealed, sealed, []],
    ['not sealed', { data: { a: 'y' } }, { data: { a: 'x' } }, []],
    ['sealed by this change', { immutable: true, data: { a: 'y' } }, { data: { a: 'x' } }, []],
    ['unsealed when it was false', { data: { a: 'y' } }, { immutable: false, data: { a: 'x' } }, []],
    ['unsealed', { data: { a: 'x' } }, sealed, [`immutable: ${detail}`]],
    ['set to false', { immutable: false, data: { a: 'x' } }, sealed, [`immutable: ${detail}`]],
    ['data changed', { immutable: true, data: { a: 'y' } }, sealed, [`data: ${detail}`]],
    ['data removed', { immutable: true }, sealed, [`data: ${detail}`]],
    ['binaryData added', { ...sealed, binaryData: { b: 'AA==' } }, sealed, [`binaryData: ${detail}`]],
    [
      'everything',
      { data: { a: 'y' }, binaryData: { b: 'AA==' } },
      sealed,
      [`immutable: ${detail}`, `data: ${detail}`, `binaryData: ${detail}`],
    ],
  ])('%s', (_, next, old, expected) => {
    expect(changeErrors(next, old)).toEqual(expected);
  });

  test('metadata may change all the same', () => {
    const next = { ...make(sealed), metadata: { name: 'a', labels: { x: 'y' } } };
    expect(configMap.strategy?.validateUpdate?.(next, make(sealed), context)).toEqual([]);
  });
});

test('a row shows name, number of keys and age', () => {
  const object = make({ data: { a: '1', b: '2' }, binaryData: { c: 'AA==' } });
  const columns = configMap.columns ?? [];
  expect(columns.map(({ name }) => name)).toEqual(['Name', 'Data', 'Age']);
  expect(columns.map(({ cell }) => cell(object, context))).toEqual(['a', 3, '60m']);
});
