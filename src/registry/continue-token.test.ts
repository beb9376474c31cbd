import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import { revision } from '../meta/revision.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a continue token', () => {
  test.each([
    { revision: revision(7), after: 'default/a' },
    { revision: undefined, after: 'a' },
  ])('says what it was made of: %j', (token) => {
    expect(decodeContinue(encodeContinue(token, kubernetes), kubernetes)).toEqual(token);
  });

  test.each([
    ['nothing', ''],
    ['no base64', '!!!'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['no object', encode(5)],
    ['another version', encode({ v: 'meta.k8s.io/v2', rv: 1, start: 'a\0' })],
    ['a version that is no text', encode({ v: 2, rv: 1, start: 'a\0' })],
    ['no version', encode({ rv: 1, start: 'a\0' })],
    ['a revision that is text', encode({ v: 'meta.k8s.io/v1', rv: '1', start: 'a\0' })],
    ['a revision of zero', encode({ v: 'meta.k8s.io/v1', rv: 0, start: 'a\0' })],
    ['a start outside', encode({ v: 'meta.k8s.io/v1', rv: 1, start: '../secrets/a\0' })],
    ['a start with an empty segment', encode({ v: 'meta.k8s.io/v1', rv: 1, start: '//a\0' })],
    ['an empty start', encode({ v: 'meta.k8s.io/v1', rv: 1, start: '\0' })],
    ['a start without its end', encode({ v: 'meta.k8s.io/v1', rv: 1, start: 'a' })],
    ['a start that is too long', encode({ v: 'meta.k8s.io/v1', rv: 1, start: `${'a'.repeat(5000)}\0` })],
    ['other base64', `${encodeContinue({ revision: revision(7), after: 'a' }, kubernetes)}=`],
  ])('with %s is refused', (_, text) => {
    expect(() => decodeContinue(text, kubernetes)).toThrow(expect.objectContaining({ code: 400 }));
  });

  test.each([
    ['the one that kube-apiserver makes', { rv: 7, start: 'default/a\0' }, revision(7)],
    ['begins with a slash, as those of its cache do', { rv: 7, start: '/default/a\0' }, revision(7)],
    ['of any version below zero goes on with what there is now', { rv: -2, start: 'default/a\0' }, undefined],
    ['may hold more', { rv: 7, start: 'default/a\0', more: 1 }, revision(7)],
  ])('%s', (_, content, at) => {
    const text = encode({ v: 'meta.k8s.io/v1', ...content });
    expect(decodeContinue(text, kubernetes)).toEqual({ revision: at, after: 'default/a' });
  });

  test.each([
    [{ rv: 1, start: 'a\0' }, 'server does not recognize this encoded version '],
    [{ v: 'v9', rv: 1, start: 'a\0' }, 'server does not recognize this encoded version v9'],
    [{ v: 2 }, 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
  ])('%j is refused with its version', (content, why) => {
    const message = `invalid continue token: continue key is not valid: ${why}`;
    expect(() => decodeContinue(encode(content), kubernetes)).toThrow(expect.objectContaining({ message }));
  });

  test('is refused, or read as something this server could have made, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((text) => Buffer.from(text).toString('base64url')),
        ),
        (text) => {
          try {
            expect(encodeContinue(decodeContinue(text, kubernetes), kubernetes)).toBe(text);
          } catch (error) {
            expect(error).toMatchObject({ code: 400 });
          }
        },
      ),
    );
  });

  test('leads on behind any name that an object may have', () => {
    for (const after of ['a\0b', `default/${'\x01'.repeat(4096)}`]) {
      const token = { revision: revision(7), after };
      expect(decodeContinue(encodeContinue(token, kubernetes), kubernetes)).toEqual(token);
    }
  });
});
