import { expect, test } from 'vitest';
import { type ApiRequest, Exchange } from './exchange.ts';

const warned = (...texts: string[]) => {
  const exchange = new Exchange({ rawQuery: '' } as ApiRequest, 'id', 0);
  for (const text of texts) exchange.warn(text);
  return exchange.warnings;
};

test('warnings that fit together are sent as they are, each once', () => {
  expect(warned('a', 'b', 'a', 'x'.repeat(4094))).toEqual(['a', 'b', 'x'.repeat(4094)]);
});

test('from the first on that is too much, each is short', () => {
  expect(warned('a', 'x'.repeat(4096)).map(({ length }) => length)).toEqual([1, 256]);
});

test('short ones are sent until the limit is reached', () => {
  const texts = Array.from({ length: 60 }, (_, at) => String(at).padStart(100, '0'));
  expect(warned(...texts)).toHaveLength(41);
  expect(warned('x'.repeat(4000), ...texts)).toHaveLength(40);
});

test('characters are counted, and never cut in half', () => {
  const smiles = '😀'.repeat(4096);
  expect(warned(smiles)).toEqual([smiles]);
  expect(warned(smiles, 'a')).toEqual(['😀'.repeat(256), 'a']);
});
