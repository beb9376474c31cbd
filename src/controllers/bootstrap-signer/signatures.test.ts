import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../meta/object.ts';
import { detachedJws, signed, signingToken } from './signatures.ts';

const now = Date.parse('2030-01-01T00:00:00Z');
const encode = (data: Record<string, string>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));

const secret = (id: string, more: Record<string, string> = {}, metadata: object = {}): ApiObject => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: { name: `bootstrap-token-${id}`, ...metadata },
  data: encode({
    'token-id': id,
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-signing': 'true',
    ...more,
  }),
});

describe('a detached signature', () => {
  test('by the secret alone is the one that Kubernetes clients check', () => {
    const content = 'Hello from the other side. I must have called a thousand times.';
    expect(detachedJws(content, { id: 'joshua', secret: 'my voice is my passcode' }, 'secret')).toBe(
      'eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8',
    );
  });

  test('by the whole token is what the specification describes', () => {
    const jws = detachedJws('what is signed?', { id: 'abcdef', secret: '0123456789abcdef' }, 'token');
    const [header = '', between, signature] = jws.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', kid: 'abcdef' });
    expect(between).toBe('');
    const payload = Buffer.from('what is signed?').toString('base64').replace(/=+$/, '').replaceAll('/', '_');
    const expected = createHmac('sha256', 'abcdef.0123456789abcdef').update(`${header}.${payload}`);
    expect(signature).toBe(expected.digest('base64url'));
  });
});

describe('who may sign', () => {
  test.each([
    ['a token without an end', secret('abcdef'), true],
    ['a token that has not ended', secret('abcdef', { expiration: '2030-01-01T00:00:01Z' }), true],
    ['a token that has ended', secret('abcdef', { expiration: '2030-01-01T00:00:00Z' }), false],
    ['a token whose end cannot be read', secret('abcdef', { expiration: 'tomorrow' }), false],
    ['a token for something else', secret('abcdef', { 'usage-bootstrap-signing': 'false' }), false],
    ['a token under the name of another', secret('abcdef', { 'token-id': 'fedcba' }), false],
    ['a token without a secret', secret('abcdef', { 'token-secret': '' }), false],
    ['a token that is no token', secret('ABCDEF'), false],
    ['a token that is being deleted', secret('abcdef', {}, { deletionTimestamp: '2029-01-01T00:00:00Z' }), false],
  ])('%s', (_, object, may) => {
    expect(signingToken(object, now) !== undefined).toBe(may);
  });
});

describe('the information', () => {
  const token = { id: 'abcdef', secret: '0123456789abcdef', end: undefined };

  test('gets a signature of each token, and loses those of others', () => {
    const data = { kubeconfig: 'here', other: 'kept', 'jws-kubeconfig-fedcba': 'old' };
    expect(signed(data, [token], 'secret')).toEqual({
      kubeconfig: 'here',
      other: 'kept',
      'jws-kubeconfig-abcdef': detachedJws('here', token, 'secret'),
    });
  });

  test('that is right stays as it is', () => {
    const data = signed({ kubeconfig: 'here' }, [token], 'secret');
    expect(signed(data, [token], 'secret')).toBe(data);
  });

  test('that says nothing is not signed', () => {
    const data = { other: 'kept' };
    expect(signed(data, [token], 'secret')).toBe(data);
  });
});
