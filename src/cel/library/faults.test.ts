// What users are told of addresses, ranges, versions and amounts that are none.

import { expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { Environment } from '../environment.ts';

const environment = new Environment({ variables: {} });

function errorOf(source: string): string | undefined {
  const compiled = compile(source, environment);
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  const outcome = compiled.program.evaluate({});
  return 'error' in outcome ? outcome.error : undefined;
}

const addresses: readonly (readonly [string, string | undefined])[] = [
  ['1.2.3.4', undefined],
  ['::1', undefined],
  ['1', 'unable to parse IP'],
  ['1.2.3', 'IPv4 address too short'],
  ['1.2.3.4.5', 'IPv4 address too long'],
  ['1.2.3.256', 'IPv4 field has value >255'],
  ['01.2.3.4', 'IPv4 field has octet with leading zero'],
  ['1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'],
  ['1.2.3.', 'IPv4 field must have at least one digit (at ".")'],
  ['1.2.3.a', 'unexpected character (at "a")'],
  ['1::2::3', 'multiple :: in address (at ":3")'],
  ['1:', 'colon must be followed by more characters (at ":")'],
  ['1:x', 'each colon-separated field must have at least one digit (at "x")'],
  ['1:2:3', 'address string too short'],
  ['12345::', 'each group must have 4 or less digits (at "12345::")'],
  ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
  ['1:2:3:4:5:6:7::', undefined],
  ['1:2:3:4:5:6:7::8', 'the :: must expand to at least one field of zeros'],
  ['1:2:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'],
  ['::1%', 'zone must be a non-empty string'],
  ['%a', 'missing IPv6 address'],
];

test.each(addresses)('ip("%s"): %s', (text, why) => {
  const whole = `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): ${why}`;
  expect(errorOf(`ip('${text}')`)).toBe(why === undefined ? undefined : whole);
});

const ranges: readonly (readonly [string, string])[] = [
  ['1.2.3.4', "no '/'"],
  ['1.2.3.4/', 'bad bits after slash: ""'],
  ['1.2.3.4/08', 'bad bits after slash: "08"'],
  ['1.2.3.4/33', 'prefix length out of range'],
  ['::1%a/64', 'IPv6 zones cannot be present in a prefix'],
  ['1.2.3/8', 'ParseAddr("1.2.3"): IPv4 address too short'],
];

test.each(ranges)('cidr("%s"): %s', (text, why) => {
  const about = 'network address parse error during conversion from string: ';
  expect(errorOf(`cidr('${text}')`)).toBe(`${about}${about}netip.ParsePrefix("${text}"): ${why}`);
});

test.each([
  ["ip('::ffff:1.2.3.4')", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
  ["ip('::1%a')", 'IP address "::1%a" with zone value is not allowed'],
  ["quantity('1K')", "unable to parse quantity's suffix"],
  ["semver('')", 'Version string empty'],
  ["semver('1.0')", 'No Major.Minor.Patch elements found'],
  ["semver('a.0.0')", 'Invalid character(s) found in major number "a"'],
  ["semver('1.01.0')", 'Minor number must not contain leading zeroes "01"'],
  ["semver('1.0.0.0')", 'Invalid character(s) found in patch number "0.0"'],
  ["semver('1..0')", 'strconv.ParseUint: parsing "": invalid syntax'],
  ["semver('1.0.99999999999999999999')", 'strconv.ParseUint: parsing "99999999999999999999": value out of range'],
  ["semver('1.0.0-')", 'Prerelease is empty'],
  ["semver('1.0.0-01')", 'Numeric PreRelease version must not contain leading zeroes "01"'],
  ["semver('1.0.0-a_b')", 'Invalid character(s) found in prerelease "a_b"'],
  ["semver('1.0.0-99999999999999999999')", 'strconv.ParseUint: parsing "99999999999999999999": value out of range'],
  ["semver('1.0.0+')", 'Build meta data is empty'],
  ["semver('1.0.0+a+b')", 'Invalid character(s) found in build meta data "a+b"'],
  ["semver('1-a', true)", 'short version cannot contain PreRelease/Build meta data'],
])('%s: %s', (source, why) => {
  expect(errorOf(source)).toBe(why);
});
