import { expect, test } from 'vitest';
import { readYamlText } from './yaml-reader.ts';

const read = (text: string) => readYamlText(text, 100);

// as a reference server answers
test.each(['a: "x\0"', 'a: x\u0001', 'a: x\u007f', 'a: x\u0080', 'a: x\ufffe', '\u001b[0m', '# \u0007'])(
  '%j has a character that is not allowed',
  async (text) => {
    await expect(read(text)).rejects.toThrow(/^control characters are not allowed$/);
  },
);

test('tabs, lines and letters of every plane are allowed', async () => {
  const { value } = await read('a: "\ty\u0085"\r\nb: 😀\u00a0\n');
  expect(value).toMatchObject({ b: '😀\u00a0' });
});
