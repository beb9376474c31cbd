import { describe, expect, test } from 'vitest';
import {
  checkCanonicalIp,
  checkFullDomain,
  checkHost,
  checkIp,
  checkPortName,
  checkRange,
  validatePortOrName,
  validatePublicIp,
} from './network-names.ts';

const fine = (check: (text: string) => readonly string[]) => (text: string) => check(text).length === 0;

describe.each<[string, (text: string) => readonly string[], readonly string[], readonly string[]]>([
  ['port names', checkPortName, ['http', 'a1', 'x-y'], ['', '80', '-a', 'a--b', 'A', 'sixteen-letters-']],
  ['addresses', checkIp, ['10.0.0.1', 'fd00::1'], ['10.0.0.01', '::ffff:1.2.3.4', '10.0.0']],
  ['addresses as names', checkCanonicalIp, ['10.0.0.1', 'fd00::1'], ['FD00::1', 'fd00:0::1']],
  ['ranges', checkRange, ['10.0.0.0/8', 'fd00::/64'], ['10.0.0.0', '010.0.0.0/8']],
  ['hosts', checkHost, ['a.example', '*.a.example'], ['*', 'a.*.example', 'A.example', '*.*.x']],
  ['full domains', checkFullDomain, ['a.example', 'a.example.'], ['', 'a', 'a b.example']],
])('%s', (_, check, good, bad) => {
  test.each(good)('%s is one', (text) => expect(fine(check)(text)).toBe(true));
  test.each(bad)('%j is none', (text) => expect(fine(check)(text)).toBe(false));
});

test.each([
  ['0.0.0.0', 'unspecified'],
  ['127.0.0.1', 'loopback'],
  ['::1', 'loopback'],
  ['169.254.1.1', 'link-local range'],
  ['fe80::1', 'link-local range'],
  ['224.0.0.1', 'multicast'],
])('%s cannot be reached by others: %s', (ip, word) => {
  expect(validatePublicIp(ip, 'x')[0]?.message).toContain(word);
});

test('a port is a number or a name', () => {
  expect(validatePortOrName(80, 'p')).toEqual([]);
  expect(validatePortOrName('web', 'p')).toEqual([]);
  expect(validatePortOrName(0, 'p')[0]?.message).toContain('must be between 1 and 65535');
});
