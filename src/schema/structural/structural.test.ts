// What else schemas do with values: formats, lists without repetitions, pruning, objects inside objects.

import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/json/json.ts';
import { lines } from '../../testing/error-lines.ts';
import { validateEmbedded } from './embedded.ts';
import { hasFormat, isKnownFormat } from './formats.ts';
import { prune, prunedPaths } from './prune.ts';
import { marks, type Schema } from './schema.ts';
import { repeatedItems } from './unique-items.ts';

test.each<[string, readonly string[], readonly string[]]>([
  ['bsonobjectid', ['507f1f77bcf86cd799439011'], ['x']],
  ['uri', ['https://a/b?c', '/path', 'urn:x:y'], ['a/b', 'https://a b', '/%zz']],
  ['email', ['a@b.c', 'A B <a@b>', '"a b"@c'], ['a', '@b', 'a@', 'a..b@c', 'a@b@c', 'a@b..c', 'a@.b']],
  ['hostname', ['a', 'a-b', 'a.example.com', 'ab-c.example'], ['-a', 'a.b-', 'a..b', 'a.1', 'ab-c', 'xn--a', '']],
  ['ipv4', ['10.0.0.1', '010.0.0.1', '::ffff:1.2.3.4'], ['::1', '10.0.0']],
  ['ipv6', ['::1', '::ffff:1.2.3.4'], ['10.0.0.1', ':::']],
  ['cidr', ['10.0.0.0/8', '010.0.0.0/8', '::/0'], ['10.0.0.0', '10.0.0.0/33']],
  ['mac', ['01:23:45:67:89:ab', '0123.4567.89ab', '01-23-45-67-89-ab'], ['01:23:45:67:89', '01:23-45:67:89:ab']],
  ['uuid', ['550E8400-e29b-41d4-a716-446655440000'], ['550e8400']],
  ['uuid3', ['a3bb189e-8bf9-3888-9912-ace4e6543002'], ['550e8400-e29b-41d4-a716-446655440000']],
  ['uuid4', ['550e8400-e29b-41d4-a716-446655440000'], ['a3bb189e-8bf9-3888-9912-ace4e6543002']],
  ['uuid5', ['a6edc906-2f9f-5fb2-a373-efac406f0ef2'], ['550e8400-e29b-41d4-a716-446655440000']],
  ['isbn', ['0321751043', '978-0321751041'], ['0321751044']],
  ['isbn10', ['0321751043', '0-8044-2957-X'], ['978-0321751041']],
  ['isbn13', ['978-0321751041'], ['978-0321751042']],
  ['creditcard', ['4111 1111 1111 1111'], ['1234']],
  ['ssn', ['111-11-1111'], ['111']],
  ['hexcolor', ['#fff', 'A0b1C2'], ['#ffff']],
  ['rgbcolor', ['rgb(255, 0,1)'], ['rgb(256,0,0)']],
  ['byte', ['aGk='], ['a', '']],
  ['password', ['', 'x'], []],
  ['date', ['2024-02-29'], ['2023-02-29', '2024-2-9']],
  [
    'date-time',
    ['2024-02-29T23:59:60.5+01:00', '2024-01-01t00:00:00z'],
    ['2024-01-01', '2024-01-01T24:00:00Z', '2024-01-01 00:00:00Z'],
  ],
  ['duration', ['1h30m', '-1.5s', '22 ns', '3 days'], ['1', 'x', '1 fortnight']],
  ['quantity', ['10Gi'], ['10Q']],
  ['k8s-short-name', ['a-b'], ['a.b', 'A']],
  ['k8s-long-name', ['a.b'], ['a..b']],
])('%s', (format, good, bad) => {
  expect(good.filter((text) => !hasFormat(text, format))).toEqual([]);
  expect(bad.filter((text) => hasFormat(text, format))).toEqual([]);
});

test('formats belong to types', () => {
  expect(isKnownFormat('integer', 'int64')).toBe(true);
  expect(isKnownFormat('string', 'int64')).toBe(false);
  expect(isKnownFormat('', 'date-time')).toBe(true);
  expect(isKnownFormat('object', 'uri')).toBe(false);
  expect(hasFormat('x', 'odd')).toBeUndefined();
});

test.each<[string, Schema, JsonValue, readonly string[]]>([
  ['a set', { [marks.listType]: 'set' }, ['a', 'b', 'a', 'a'], ['f[2]: Duplicate value: "a"']],
  [
    'a set of objects',
    { [marks.listType]: 'set' },
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    ['f[1]: Duplicate value: {"b":2,"a":1}'],
  ],
  ['a set of lists that look like objects', { [marks.listType]: 'set' }, [{ a: 1 }, ['object', 'a', 1]], []],
  [
    'a keyed list',
    { [marks.listType]: 'map', [marks.listMapKeys]: ['a', 'b'] },
    [{ a: 1 }, { a: 1, b: 1 }, { a: 1, c: 2 }],
    ['f[2]: Duplicate value: {"a":1}'],
  ],
  [
    'a keyed list of others',
    { [marks.listType]: 'map', [marks.listMapKeys]: ['a'] },
    [1],
    ['f[0]: Invalid value: 1: must be an object for an array of list-type map'],
  ],
  [
    'a list inside',
    { items: { properties: { g: { [marks.listType]: 'set' } } } },
    [{ g: [1, 1] }],
    ['f[0].g[1]: Duplicate value: 1'],
  ],
  [
    'a list in a map',
    { additionalProperties: { [marks.listType]: 'set' } },
    { k: [1, 1] },
    ['f[k][1]: Duplicate value: 1'],
  ],
])('%s has nothing twice', (_, schema, value, expected) => {
  expect(lines(repeatedItems({ f: value }, { properties: { f: schema } }, ''))).toEqual(expected);
});

test.each<[string, Schema, (index: number) => JsonValue]>([
  ['a set', { [marks.listType]: 'set' }, (index) => `v${index}`],
  ['a keyed list', { [marks.listType]: 'map', [marks.listMapKeys]: ['name'] }, (index) => ({ name: `n${index}` })],
])('%s of many items names the item that repeats', (_, schema, item) => {
  const list = Array.from({ length: 20_000 }, (_item, index) => item(index));
  const found = repeatedItems([...list, item(7)], schema, 'f');
  expect(found.map(({ field }) => field)).toEqual(['f[20000]']);
});

test.each<[string, Schema, JsonValue, JsonValue, readonly string[]]>([
  ['what is not described', { properties: { a: {} } }, { a: 1, b: 2 }, { a: 1 }, ['b']],
  [
    'inside lists',
    { properties: { l: { items: { properties: { a: {} } } } } },
    { l: [{ a: 1, b: 2 }] },
    { l: [{ a: 1 }] },
    ['l[0].b'],
  ],
  ['nothing of a map', { additionalProperties: { type: 'string' } }, { x: 'y' }, { x: 'y' }, []],
  ['members of what may be anything', { additionalProperties: true }, { x: { y: 1 } }, { x: {} }, ['x.y']],
  ['nothing that is preserved', { [marks.preserve]: true }, { x: { y: 1 } }, { x: { y: 1 } }, []],
  [
    'what is described inside what is preserved',
    { [marks.preserve]: true, properties: { a: { properties: { b: {} } } } },
    { a: { b: 1, c: 2 }, x: 1 },
    { a: { b: 1 }, x: 1 },
    ['a.c'],
  ],
  [
    'nothing that every object has',
    { [marks.embedded]: true },
    { kind: 'K', metadata: { x: 1 }, y: 1 },
    { kind: 'K', metadata: { x: 1 } },
    ['y'],
  ],
])('pruning takes away %s', (_, schema, value, expected, pruned) => {
  let count = 0;
  expect(prune(value, schema, () => count++)).toEqual(expected);
  expect(count).toBe(pruned.length);
  const paths: string[] = [];
  prunedPaths({ o: value }, { properties: { o: schema } }, (path) => paths.push(path));
  expect(paths.map((path) => path.replace(/^o\.?/, ''))).toEqual(pruned);
});

test('pruning leaves alone what is in order, and prototypes in any case', () => {
  const value = { a: [1] };
  expect(prune(value, { properties: { a: { items: {} } } })).toBe(value);
  const odd = JSON.parse('{"__proto__":{"x":1},"a":1,"b":2}') as JsonValue;
  const kept = prune(odd, {
    properties: JSON.parse('{"__proto__":{"properties":{"x":{}}},"a":{}}') as Record<string, Schema>,
  });
  expect(JSON.stringify(kept)).toBe('{"__proto__":{"x":1},"a":1}');
});

test.each<[JsonValue, readonly string[]]>([
  [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', labels: { b: 'c' } } }, []],
  [{}, ['e.apiVersion: Required value', 'e.kind: Required value']],
  [
    { apiVersion: 1, kind: 'a/b/c' },
    [
      'e.apiVersion: Invalid value: 1: must be a string',
      expect.stringMatching(/^e\.kind: Invalid value: "a\/b\/c": may have mixed case/) as string,
    ],
  ],
  [{ apiVersion: 'a/b/c', kind: 'K' }, ['e.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c']],
  [
    { apiVersion: '', kind: '' },
    ['e.apiVersion: Invalid value: "": must not be empty', 'e.kind: Invalid value: "": must not be empty'],
  ],
  [
    { apiVersion: 'v1', kind: 'K'.repeat(64) },
    [expect.stringMatching(/should otherwise match: must be no more than 63 characters$/) as string],
  ],
  [
    { apiVersion: 'v1', kind: 'K', metadata: { name: 'a/b', generateName: 'c%', namespace: 'D' } },
    [
      'e.metadata.generateName: Invalid value: "c%": may not contain \'%\'',
      'e.metadata.name: Invalid value: "a/b": may not contain \'/\'',
      expect.stringMatching(/^e\.metadata\.namespace: Invalid value: "D": a lowercase RFC 1123 label/) as string,
    ],
  ],
  [
    { apiVersion: 'v1', kind: 'K', metadata: { generation: -1, labels: { 'a b': 'c' }, finalizers: ['d e'] } },
    [
      'e.metadata.generation: Invalid value: -1: must be greater than or equal to 0',
      expect.stringMatching(/^e\.metadata\.labels: Invalid value: "a b": name part/) as string,
      expect.stringMatching(/^e\.metadata\.finalizers: Invalid value: "d e": name part/) as string,
    ],
  ],
  [
    { apiVersion: 'v1', kind: 'K', metadata: { annotations: { a: 'x'.repeat(300_000) } } },
    ['e.metadata.annotations: Too long: may not be more than 262144 bytes'],
  ],
  [
    {
      apiVersion: 'v1',
      kind: 'K',
      metadata: {
        ownerReferences: [{ uid: 'u', controller: true, kind: 'P', apiVersion: 'a/b/c', name: 'n' }],
        managedFields: [{ operation: 'x', fieldsType: 'y' }],
      },
    },
    [
      'e.metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
      'e.metadata.managedFields[0].operation: Invalid value: "x": must be `Apply` or `Update`',
      'e.metadata.managedFields[0].fieldsType: Invalid value: "y": must be `FieldsV1`',
    ],
  ],
])('objects inside objects: %j', (value, expected) => {
  const schema: Schema = { properties: { e: { [marks.embedded]: true } } };
  expect(lines(validateEmbedded({ e: value }, schema, ''))).toEqual(expected);
});
