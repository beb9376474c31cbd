import { expect, test } from 'vitest';
import { expectProcessorTime } from '../testing/processor-time.ts';
import { pemBlocks } from './pem.ts';

const block = (type: string, body = 'AAAA') => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const typesIn = (text: string) => pemBlocks(text).map(({ type }) => type);

test('blocks of a text are found in their order', () => {
  expect(typesIn(`before\n${block('B')}between${block('A')}`)).toEqual(['B', 'A']);
});

test.each([
  ['a character that base64 does not have', 'AA!A'],
  ['half a group', 'AAAAA'],
  ['padding in the middle', 'AA==AAAA'],
])('a block with %s is none', (_, body) => {
  expect(typesIn(`${block('BAD', body)}${block('GOOD')}`)).toEqual(['GOOD']);
});

test('white space inside base64 does not matter', () => {
  expect(pemBlocks(block('A', 'AA \t\r\nEC'))[0]?.bytes).toEqual(Buffer.of(0, 1, 2));
});

test('headers are seen', () => {
  expect(pemBlocks(block('A', 'Name: value\n\nAAEC'))).toEqual([
    { type: 'A', hasHeaders: true, bytes: Buffer.of(0, 1, 2) },
  ]);
});

test('a text of dashes is read at once', async () => {
  await expectProcessorTime(1000, () => pemBlocks('-----BEGIN A-----\n'.repeat(50_000)));
});
