import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import type { CertificateSigningRequest } from './certificate-signing-request-type.ts';
import { validateSignerName } from './signer-name.ts';
import { signingStatusPart } from './signing-request-rules.ts';

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

describe('a status', () => {
  const context = { dialect: kubernetes, clock: new FakeClock('2030-01-01T00:00:00Z') };
  const times = { lastUpdateTime: '2029-01-01T00:00:00Z', lastTransitionTime: '2029-01-01T00:00:00Z' };
  const approved = { type: 'Approved', status: 'True', reason: 'Good', ...times };
  const failed = { type: 'Failed', status: 'True', ...times };
  const having = (...conditions: object[]): CertificateSigningRequest => ({
    kind: 'CertificateSigningRequest',
    apiVersion: 'v1',
    metadata: { name: 'x' },
    status: { conditions },
  });
  const written = (next: CertificateSigningRequest, old: CertificateSigningRequest) => {
    const merged = signingStatusPart.merge(next, old, context);
    return {
      merged,
      validationErrors: lines(signingStatusPart.validateUpdate?.(merged as CertificateSigningRequest, old, context)),
    };
  };

  test('keeps the words of who approved', () => {
    const { merged, validationErrors } = written(having(failed, { ...approved, reason: 'Mine' }), having(approved));
    expect(merged['status']).toEqual({ conditions: [failed, approved] });
    expect(validationErrors).toEqual([]);
  });

  test('approves nothing and takes nothing back', () => {
    expect(written(having(approved), having()).validationErrors).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
    expect(written(having(), having(approved)).validationErrors).toEqual([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
  });

  test('tells what is wrong with a certificate before that there is one already', () => {
    const issued = (text: string) => ({
      ...having(),
      status: { certificate: Buffer.from(text).toString('base64') },
    });
    expect(written(issued('other'), issued('first')).validationErrors).toEqual([
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
      'status.certificate: Forbidden: updates may not modify existing certificate content',
    ]);
  });
});
