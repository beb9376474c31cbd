import { expect, test } from 'vitest';
import { validateWindows } from './windows-rules.ts';

test.each<[string, string[]]>([
  ['user', []],
  ['DOMAIN\\user', []],
  ['example.com\\user', []],
  ['', ['cannot be an empty string']],
  ['a\u0000b', ['cannot contain control characters']],
  ['a\\b\\c', ['cannot contain more than one backslash']],
  ['\\user', ["'s Domain doesn't match the NetBios nor the DNS format"]],
  [
    `${'d'.repeat(256)}\\u`,
    ["'s Domain length must be under 256 characters", "'s Domain doesn't match the NetBios nor the DNS format"],
  ],
  ['D\\', ["'s User cannot be empty"]],
  ['u'.repeat(105), ["'s User length must not be longer than 104 characters"]],
  ['. .', ["'s User cannot contain only periods or spaces"]],
  ['a@b', ['\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]']],
])('a Windows user %j', (runAsUserName, expected) => {
  const validationErrors = validateWindows({ runAsUserName }, 'at');
  const details = validationErrors.map(({ message }) => message.split('runAsUserName').at(-1));
  expect(details.map((detail) => detail?.replace(/^ /, ''))).toEqual(expected);
});
