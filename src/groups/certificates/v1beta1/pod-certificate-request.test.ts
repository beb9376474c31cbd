import { describe, expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { rulesOf } from '../../../testing/kind-rules.ts';
import { podCertificateRequest } from './pod-certificate-request.ts';

// made with: openssl genpkey -algorithm ed25519, then req -new -subj / and x509 -req -signkey -days 1
const stubPKCS10Request =
  'MH8wMwIBADAAMCowBQYDK2VwAyEA+tLVRq6FSTtqDwiJjd7uv386FJhF4HgeEdpdNv6jcHKgADAFBgMrZXADQQB4A4l8+wGR6bVyu1StHshzhGz1s4Ojo63W0aAc5vsqX2bJz6u9sIMixkMr/O1SOAXqGYbbxA1HLGwi+LxDmHAJ';
const pkixPublicKey = 'MCowBQYDK2VwAyEA+tLVRq6FSTtqDwiJjd7uv386FJhF4HgeEdpdNv6jcHI=';
// of "uid-1", by pkeyutl -sign -rawin
const proofOfPossession = '89CRhXdsYd6Kdy4CGYFJE6xpDMH4c/shPnj1S1WaN0n1gsfWr/FV9Zo1b4HBCdZh0BEFzxrQySO8Ss0hNjs+Cw==';
const certificateChain = `-----BEGIN CERTIFICATE-----
MIG5MG0CFDcb0qGNU7H7lfzwJb6YykMH/rXLMAUGAytlcDAAMB4XDTI2MTExNjAx
MzgyN1oXDTI2MTExNzAxMzgyN1owADAqMAUGAytlcAMhAPrS1UauhUk7ag8IiY3e
7r9/OhSYReB4HhHaXTb+o3ByMAUGAytlcANBAKMnlZQahfHbJDVJLshr5r1NPj0Y
JrhLZv8aUehSK/HAFnePX37v8hXCEHy8TDZjkv7uemVtKW+nnAL1T+U7dw4=
-----END CERTIFICATE-----
`;

const rules = rulesOf(podCertificateRequest);
const spec = {
  signerName: 'a.example/s',
  podName: 'p',
  podUID: 'uid-1',
  serviceAccountName: 'a',
  serviceAccountUID: 'uid-2',
  nodeName: 'n',
  nodeUID: 'uid-3',
  maxExpirationSeconds: 86400,
  stubPKCS10Request,
};
const older = { ...spec, stubPKCS10Request: undefined, pkixPublicKey, proofOfPossession };

describe('a new request', () => {
  test.each<[string, object, string[]]>([
    ['with a request that its key signed', spec, []],
    ['with a key and its signature', older, []],
    ['with no key', { ...spec, stubPKCS10Request: undefined }, ['Invalid spec']],
    ['with two keys', { ...older, stubPKCS10Request }, ['Invalid spec']],
    ['with nonsense', { ...spec, stubPKCS10Request: 'eA==' }, ['Invalid spec.stubPKCS10Request']],
    ['with a key that is none', { ...older, pkixPublicKey: 'eA==' }, ['Invalid spec.pkixPublicKey']],
    ['with the signature of another pod', { ...older, podUID: 'uid-9' }, ['Invalid spec.proofOfPossession']],
    ['with words of the user', { ...spec, unverifiedUserAnnotations: { 'A.example/x': 'y' } }, []],
    [
      'with words of no domain',
      { ...spec, unverifiedUserAnnotations: { x: 'y' } },
      ['Invalid spec.unverifiedUserAnnotations'],
    ],
    [
      'with many words',
      { ...spec, unverifiedUserAnnotations: { 'a.example/x': 'y'.repeat(262_144) } },
      ['TooLong spec.unverifiedUserAnnotations'],
    ],
    ['for too long', { ...spec, maxExpirationSeconds: 9_000_000 }, ['Invalid spec.maxExpirationSeconds']],
    [
      'of a signer of the system, for too long',
      { ...spec, signerName: 'kubernetes.io/s', maxExpirationSeconds: 90_000 },
      ['Invalid spec.maxExpirationSeconds'],
    ],
  ])('%s', (_, given, expected) => {
    expect(rules.create({ spec: given })).toEqual(expected);
  });

  test('does not change', () => {
    expect(rules.update({ spec: { ...spec, podName: '' } }, { spec })).toEqual(['Invalid spec']);
  });
});

describe('an answer', () => {
  const [part] = podCertificateRequest.subresources ?? [];
  const clock = new FakeClock('2026-11-16T01:39:00Z');
  const made = (status: object): ApiObject => ({ ...rules.defaulted({ spec }), status });
  const condition = (type: string) => ({
    type,
    status: 'True',
    reason: 'R',
    lastTransitionTime: '2026-11-16T01:39:00Z',
  });
  const issued = {
    conditions: [condition('Issued')],
    certificateChain,
    notBefore: '2026-11-16T01:38:27Z',
    notAfter: '2026-11-17T01:38:27Z',
    beginRefreshAt: '2026-11-16T13:38:27Z',
  };
  const found = (next: object, old: object = {}) => {
    const context = { dialect: kubernetes, clock };
    if (part?.is !== 'part') return [];
    const merged = part.merge(made(next), made(old), context);
    return lines(part.validateUpdate?.(merged, made(old), context) ?? []).map((line) => line.split(': ')[0]);
  };

  test.each<[string, object, string[]]>([
    ['a certificate', issued, []],
    ['no', { conditions: [condition('Denied')] }, []],
    ['nothing', { certificateChain }, ['status']],
    ['no, with a certificate', { ...issued, conditions: [condition('Denied')] }, ['status']],
    ['yes and no', { conditions: [condition('Issued'), condition('Denied')] }, ['status.conditions.[1].type']],
    ['perhaps', { conditions: [condition('Perhaps')] }, ['status.conditions.[0].type']],
    ['no certificate', { ...issued, certificateChain: '' }, ['status.certificateChain']],
    [
      'no times',
      { conditions: issued.conditions, certificateChain },
      ['notBefore', 'notAfter', 'beginRefreshAt'].map((name) => `status.${name}`),
    ],
    ['another time', { ...issued, notBefore: '2026-11-16T01:38:28Z' }, ['status.notBefore']],
    ['a late renewal', { ...issued, beginRefreshAt: '2026-11-17T01:38:00Z' }, ['status.beginRefreshAt']],
  ])('of %s', (_, status, expected) => {
    expect(found(status)).toEqual(expected);
  });

  test('to another key is none', () => {
    expect(part?.is).toBe('part');
    const old = { ...made({}), spec: { ...spec, stubPKCS10Request: undefined, pkixPublicKey: 'eA==' } } as ApiObject;
    const context = { dialect: kubernetes, clock };
    const next = {
      ...old,
      status: issued,
    };
    expect(lines(part?.is === 'part' ? (part.validateUpdate?.(next, old, context) ?? []) : [])[0]).toContain(
      'leaf certificate was not issued to the requested public key',
    );
  });

  test('is final', () => {
    const denied = { conditions: [condition('Denied')] };
    expect(found(denied, denied)).toEqual([]);
    expect(found(issued, denied)).toEqual(['status']);
    expect(found({ conditions: [{ ...condition('Denied'), reason: 'Other' }] }, denied)).toEqual(['status']);
  });

  test('says since when it holds', () => {
    const { lastTransitionTime: _, ...undated } = condition('Denied');
    expect(found({ conditions: [undated] })).toEqual(['status.conditions[0].lastTransitionTime']);
  });

  test('has to be in time', () => {
    clock.advance(10 * 60_000);
    expect(found(issued)).toEqual(['status.notBefore']);
  });
});
