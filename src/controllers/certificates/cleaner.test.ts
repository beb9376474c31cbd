import { describe, expect, test } from 'vitest';
import type { CertificateSigningRequest } from '../../groups/certificates/v1/certificate-signing-request-type.ts';
import { cluster, kubernetes } from '../../meta/dialect.ts';
import { createAuthority, signLeaf } from '../../pki/certificates.ts';
import { endOfRequest } from './cleaner.ts';

const created = '2030-01-01T00:00:00Z';
const decided = '2030-01-01T12:00:00Z';
const year = 365 * 24 * 3_600_000;

/** A certificate that ends at a time. */
function certificateUntil(end: string): string {
  const made = Date.parse(end) - year;
  const authority = createAuthority('ca', made);
  const { certificate } = signLeaf(authority, { usage: 'client', commonName: 'x', organizations: [] }, made);
  return Buffer.from(certificate).toString('base64');
}

function request(types: readonly string[], certificate?: string, lastUpdateTime: string | undefined = decided) {
  const conditions = types.map((type) => ({ type, status: 'True', ...(lastUpdateTime && { lastUpdateTime }) }));
  const status = { ...(types.length > 0 && { conditions }), ...(certificate !== undefined && { certificate }) };
  const metadata = { name: 'x', creationTimestamp: created };
  return { kind: 'CertificateSigningRequest', apiVersion: 'v1', metadata, status } as CertificateSigningRequest;
}

const shown = (end: number | undefined) => (end === undefined ? 'never' : new Date(end).toISOString());

describe('a request is deleted', () => {
  test.each([
    ['a day after it was made, undecided', request([]), '2030-01-02T00:00:00.000Z'],
    ['an hour after it was denied', request(['Denied']), '2030-01-01T13:00:00.000Z'],
    ['an hour after it failed', request(['Approved', 'Failed']), '2030-01-01T13:00:00.000Z'],
    ['a day after it was approved and not issued', request(['Approved']), '2030-01-02T12:00:00.000Z'],
    [
      'an hour after it was approved, issued',
      request(['Approved'], certificateUntil('2031-01-01T00:00:00Z')),
      '2030-01-01T13:00:00.000Z',
    ],
    [
      'when its certificate ends, if that is earlier',
      request(['Approved'], certificateUntil('2030-01-01T12:10:00Z')),
      '2030-01-01T12:10:00.000Z',
    ],
    [
      'in time where its certificate is none',
      request(['Approved'], Buffer.from('hello').toString('base64')),
      '2030-01-01T13:00:00.000Z',
    ],
    ['never, decided at no time', request(['Denied'], undefined, ''), 'never'],
    ['never, with conditions of other kinds', request(['Seen']), 'never'],
  ])('%s', (_, object, end) => {
    expect(shown(endOfRequest(object, kubernetes))).toBe(end);
  });

  test('an hour after it was approved in the cluster dialect, issued or not', () => {
    expect(shown(endOfRequest(request(['Approved']), cluster()))).toBe('2030-01-01T13:00:00.000Z');
  });
});
