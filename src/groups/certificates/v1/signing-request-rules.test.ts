import { expect, test } from 'vitest';
import { lines } from '../../../testing/findings.ts';
import { validateSignerName } from './signer-name.ts';

const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";

test.each<[string, readonly string[]]>([
  ['example.com/signer', []],
  ['a.example.com/some.signer-name', []],
  ['', ['at: Required value']],
  ['signer', [`at: Invalid value: "signer": ${form}`]],
  ['example.com/a/b', [`at: Invalid value: "example.com/a/b": ${form}`]],
  ['example/signer', ['at: Invalid value: "example": should be a domain with at least two segments separated by dots']],
])('the signer %j: %j', (name, expected) => {
  expect(lines(validateSignerName(name, 'at'))).toEqual(expected);
});

test.each(['Example.com/x', 'example.com/X', '.com/x', 'example.com/'])('%j is no name of a signer', (name) => {
  expect(validateSignerName(name, 'at').length).toBeGreaterThan(0);
});
