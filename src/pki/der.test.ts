import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readElement, sequenceOf } from '../codec/der.ts';
import { bits, boolean, explicit, implicit, integer, octets, oid, sequence, set, time, tlv, utf8 } from './der.ts';

const hex = (der: Uint8Array) => Buffer.from(der).toString('hex');

describe('lengths', () => {
  test.each([
    [0, '0400'],
    [1, '0401'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65535, '0482ffff'],
    [65536, '0483010000'],
  ])('of %d bytes begin with %s', (length, header) => {
    const der = octets(new Uint8Array(length));
    expect(hex(der.subarray(0, der.length - length))).toBe(header);
  });
});

describe('values', () => {
  test.each([
    ['true', boolean(true), '0101ff'],
    ['false', boolean(false), '010100'],
    ['text', utf8('é'), '0c02c3a9'],
    ['a sequence', sequence(boolean(true), utf8('a')), '30060101ff0c0161'],
    ['an empty sequence', sequence(), '3000'],
    ['a set', set(utf8('a')), '31030c0161'],
    ['a small number', integer(Uint8Array.of(5)), '020105'],
    ['a number that would look negative', integer(Uint8Array.of(0x80)), '02020080'],
    ['a number of several bytes', integer(Uint8Array.of(0x7f, 0xff)), '02027fff'],
    ['bits', bits(Uint8Array.of(0b1000_0110), 1), '03020186'],
    ['an explicit tag', explicit(3, boolean(true)), 'a3030101ff'],
    ['an implicit tag', implicit(2, Buffer.from('a')), '820161'],
    ['nothing', tlv(0x05), '0500'],
  ])('%s', (_, der, expected) => {
    expect(hex(der)).toBe(expected);
  });

  test.each([
    ['2.5.4.3', '0603550403'],
    ['2.5.29.17', '0603551d11'],
    ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
    ['1.2.840.113549.1.1.11', '06092a864886f70d01010b'],
    ['1.3.6.1.5.5.7.3.1', '06082b06010505070301'],
  ])('the object identifier %s', (dotted, expected) => {
    expect(hex(oid(dotted))).toBe(expected);
  });

  test.each([
    ['2030-01-02T03:04:05Z', 0x17, '300102030405Z'],
    ['2030-01-02T03:04:05.999Z', 0x17, '300102030405Z'],
    ['2049-12-31T23:59:59Z', 0x17, '491231235959Z'],
    ['2050-01-01T00:00:00Z', 0x18, '20500101000000Z'],
  ])('the time %s', (text, tag, expected) => {
    const der = time(Date.parse(text));
    expect([der[0], der.subarray(2).toString()]).toEqual([tag, expected]);
  });
});

describe('elements, as they are read again,', () => {
  const elements = (der: Buffer) => sequenceOf(readElement(der)).map(({ whole }) => whole);
  const value = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map(octets),
    fc.string({ unit: 'grapheme' }).map(utf8),
    fc.boolean().map(boolean),
  );

  test('are what a sequence was made of', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), (parts) => {
        expect(elements(sequence(...parts)).map(hex)).toEqual(parts.map(hex));
      }),
    );
  });

  test('are found in the middle of a buffer', () => {
    const der = sequence(octets(new Uint8Array(300)), boolean(true));
    const shared = Buffer.concat([Buffer.from('xx'), der, Buffer.from('yy')]);
    expect(elements(shared.subarray(2, 2 + der.length)).map(({ length }) => length)).toEqual([304, 3]);
  });

  test('of nothing are none', () => {
    expect(elements(sequence())).toEqual([]);
  });
});
