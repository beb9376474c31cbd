import { expect, test } from 'vitest';
import { decoderOf } from '../decode.ts';
import { DecodeContext } from '../decode-context.ts';
import { field, string, struct } from '../types.ts';
import { settleConverted } from './settle.ts';
import type { StructuralType } from './structural-type.ts';

const meta = struct('test/v1', 'Meta', '', { name: field(1, string) });
const type: StructuralType = {
  ...{ is: 'structural', home: 'test/v1', name: 'Whole', about: '', meta },
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          map: { type: 'object', additionalProperties: { type: 'string' } },
          list: { type: 'array', items: { type: 'object', additionalProperties: { type: 'string' } } },
        },
      },
    },
  },
};
const large = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`k${i}`, 'x']));
const decode = (value: object) => decoderOf(type)(value, new DecodeContext({ kind: 'Whole', apiVersion: 'test/v1' }));

test.each([
  ['a map', { spec: { map: large } }, 'spec.map'],
  ['a map in a list', { spec: { list: [{}, large] } }, 'spec.list[1]'],
  ['the object itself', large, 'the object'],
])('%s with more than 20,000 members is refused', (_, value, at) => {
  expect(() => decode(value)).toThrow(`Request entity too large: ${at} has more than 20000 items`);
});

test('a large object that the schema does not know is dropped, and not refused', () => {
  expect(decode({ spec: { unknown: large, map: { a: 'x' } } })).toMatchObject({ spec: { map: { a: 'x' } } });
});

test('an object that is stored may be wider', () => {
  const stored = { apiVersion: 'test/v1', kind: 'Whole', metadata: { name: 'a' }, spec: { map: large } };
  expect(Object.keys((settleConverted(type, stored)['spec'] as { map: object }).map)).toHaveLength(20_001);
});
