import { expect, test } from 'vitest';
import { readYamlText } from './yaml-reader.ts';

const read = (text: string) => readYamlText(text, 100);

// as a reference server answers
test.each(['a: "x\0"', 'a: x\u0001', 'a: x\u007f', 'a: x\u0080', 'a: x\ufffe', '\u001b[0m', '# \u0007'])(
  '%j has a character that is not allowed',
  async (text) => {
    await expect(read(text)).rejects.toThrow(/^yaml: control characters are not allowed$/);
  },
);

test('tabs, lines and letters of every plane are allowed', async () => {
  const { value } = await read('a: "\ty\u0085"\r\nb: 😀\u00a0\n');
  expect(value).toMatchObject({ b: '😀\u00a0' });
});

// as a reference server answers
test.each([
  ['null: 1\n', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: 1'],
  ['a: {~: "c"}\n', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "c"'],
  [
    '~: {a: [1]}\n',
    'unsupported map key of type: %!s(<nil>), key: <nil>, value: map[interface {}]interface {}{"a":[]interface {}{1}}',
  ],
  ['null: 1\n? [a]\n: 1\n', 'yaml: invalid map key: []interface {}{"a"}'],
  ['a: .inf\n', 'json: unsupported value: +Inf'],
  ['a: -.inf\n', 'json: unsupported value: -Inf'],
  ['a: .nan\n', 'json: unsupported value: NaN'],
  ['a: &s {b: *s}\n', "yaml: anchor 's' value contains itself"],
])('%j cannot be said in JSON', async (text, words) => {
  await expect(read(text)).rejects.toThrow(new Error(words));
});

test('aliases that make a small text large are refused', async () => {
  const levels = 'bcdef'.split('').map((name, i) => `${name}: &${name} [${`*${'abcde'[i]}, `.repeat(9)}]`);
  await expect(read(['a: &a [x]', ...levels].join('\n'))).rejects.toThrow('yaml: document contains excessive aliasing');
});

test.each([
  ['a: |\n  x', 'x'],
  ['a: |\n  x\n', 'x\n'],
  ['a: |\n  x\n  ', 'x\n'],
  ['a: |+\n  x', 'x'],
  ['a: |-\n  x', 'x'],
  ['a: >\n  x\n  y', 'x y'],
])('the lines of %j end as they are given', async (text, a) => {
  expect((await read(text)).value).toEqual({ a });
});
