import { expect, test } from 'vitest';
import { lines } from '../testing/error-lines.ts';
import { domainPathErrors } from './domain-path.ts';

test.each(['a.example/x', 'a.example/x/y', 'a/:~%'])('%s belongs to a domain', (text) => {
  expect(domainPathErrors('at', text)).toEqual([]);
});

test.each<[string, readonly string[]]>([
  ['', ['at: Required value']],
  ['a.example', ['at: Invalid value: "a.example": must be a domain-prefixed path (such as "acme.io/foo")']],
  ['/x', ['at: Invalid value: "/x": must be a domain-prefixed path (such as "acme.io/foo")']],
  ['a.example/', ['at: Invalid value: "a.example/": must be a domain-prefixed path (such as "acme.io/foo")']],
])('%j does not', (text, expected) => expect(lines(domainPathErrors('at', text))).toEqual(expected));

test('errors of the domain and of the path are reported separately', () => {
  expect(lines(domainPathErrors('at', 'A_b/x y'))).toEqual([
    expect.stringMatching(/^at: Invalid value: "A_b": a lowercase RFC 1123 subdomain/) as string,
    "at: Invalid value: \"x y\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
  ]);
});
