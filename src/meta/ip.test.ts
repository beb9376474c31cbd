import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatIp, formatRange, type IpAddress, parseIp, parseRange, rangeContains, sizeOfRange } from './ip.ts';

describe('an address', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.0.0.1', '10.0.0.1'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['FD00:0:0::1', 'fd00::1'],
    ['::ffff:1.2.3.4', '::ffff:102:304'],
    ['1:2:3:4:5:6:7:0', '1:2:3:4:5:6:7:0'],
  ])('%s is written %s', (text, expected) => {
    expect(formatIp(parseIp(text) as IpAddress)).toBe(expected);
  });

  test.each(['', '10.0.0', '10.0.0.256', '1.2.3.4.5', ':::', '1::2::3', '1:2:3:4:5:6:7:8:9', 'g::1', '12345::', 'x'])(
    '%s is none',
    (text) => expect(parseIp(text)).toBeUndefined(),
  );

  test('marks leading zeros and IPv4 in IPv6', () => {
    expect(parseIp('10.0.0.01')?.leadingZeros).toBe(true);
    expect(parseIp('::ffff:10.0.0.1')?.mapped).toBe(true);
  });

  test('is read as it was written', () => {
    fc.assert(
      fc.property(fc.constantFrom('IPv4' as const, 'IPv6' as const), fc.bigInt(0n, 2n ** 128n - 1n), (family, bits) => {
        const value = family === 'IPv4' ? bits & 0xffffffffn : bits;
        expect(parseIp(formatIp({ family, value }))).toMatchObject({ family, value });
      }),
    );
  });
});

describe('a range', () => {
  test.each([
    ['10.0.0.7/24', '10.0.0.0/24', 256n],
    ['10.0.0.0/32', '10.0.0.0/32', 1n],
    ['fd00::/120', 'fd00::/120', 256n],
  ])('%s is %s with %d addresses', (text, expected, size) => {
    const range = parseRange(text) as NonNullable<ReturnType<typeof parseRange>>;
    expect([formatRange(range), sizeOfRange(range)]).toEqual([expected, size]);
  });

  test.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129', '/8'])('%s is none', (text) => {
    expect(parseRange(text)).toBeUndefined();
  });

  test.each([
    ['10.0.0.0/24', '10.0.0.255', true],
    ['10.0.0.0/24', '10.0.1.0', false],
    ['::/0', '10.0.0.1', false],
  ])('%s has %s: %s', (range, ip, expected) => {
    expect(rangeContains(parseRange(range) as never, parseIp(ip) as IpAddress)).toBe(expected);
  });
});
