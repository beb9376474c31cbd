import { describe, expect, test } from 'vitest';
import { attributes, nameOf, textOf } from '../testing/forged-certificates.ts';
import { readElement } from './der.ts';
import { readSubject } from './distinguished-name.ts';

const { commonName: cn, organization: o } = attributes;
const read = (name: Buffer) => readSubject(readElement(name));
const text = (tag: number, bytes: string, encoding: BufferEncoding = 'latin1') =>
  textOf(tag, Buffer.from(bytes, encoding));

describe('the name of a subject', () => {
  test('is the last common name, and groups are all organizations in their order', () => {
    const name = nameOf(
      [
        [o, 'b'],
        [cn, 'first'],
        [o, 'a'],
      ],
      [[cn, 'last']],
      [[o, 'b']],
    );
    expect(read(name)).toMatchObject({ commonName: 'last', organizations: ['b', 'a', 'b'] });
    expect(read(nameOf())).toMatchObject({ commonName: '', organizations: [] });
  });

  test.each<[string, Buffer, string]>([
    ['UTF-8', text(0x0c, 'zoë', 'utf8'), 'zoë'],
    ['UTF-8 with a mark at its beginning', text(0x0c, '\ufeffx', 'utf8'), '\ufeffx'],
    ['digits', text(0x12, '12 3'), '12 3'],
    ['printable text', text(0x13, "system:node (a'b)*&"), "system:node (a'b)*&"],
    ['Latin-1', text(0x14, 'zo\xeb'), 'zoë'],
    ['ASCII', text(0x16, 'a@b_\0'), 'a@b_\0'],
    ['two bytes a character', text(0x1e, '\0z\0o\0\xeb'), 'zoë'],
    ['two bytes a character, ended by a zero', text(0x1e, '\0z\0\0'), 'z'],
  ])('may be in %s', (_, value, expected) => {
    expect(read(nameOf([[cn, value]])).commonName).toBe(expected);
  });

  test.each<[string, Buffer]>([
    ['bytes that are no UTF-8', text(0x0c, 'ann\xff')],
    ['letters as digits', text(0x12, 'a')],
    ['printable text that is not', text(0x13, 'a@b')],
    ['ASCII that is not', text(0x16, '\x80')],
    ['half a character', text(0x1e, '\0z\0')],
    ['a character of two parts', text(0x1e, '\xd8\x3d\xde\x00')],
    ['a number', text(0x02, '\x01')],
    ['four bytes a character', text(0x1c, '\0\0\0z')],
  ])('is refused as a whole for %s anywhere', (_, value) => {
    expect(() => read(nameOf([[cn, 'ann']], [['2.5.4.11', value]]))).toThrow();
  });
});
