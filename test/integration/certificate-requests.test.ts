// Certificate requests that clients send over the API: what is refused, and in which words.

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { sequence } from '../../src/pki/der.ts';
import { encodedRequest, extension, type RequestParts } from '../../src/testing/certificate-requests.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

const collection = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const csr = (request: string) => ({
  metadata: { name: 'asked' },
  spec: { request, signerName: 'example.com/signer', usages: ['client auth'] },
});

describe('a hostile request', () => {
  let server: Server;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({ listen: false, controllers: [] });
    api = apiOf(server);
  });
  afterAll(() => server.close());

  const twice = extension('1.2.3.4', sequence());

  test.each<[string, RequestParts, string]>([
    [
      'of a weak key',
      { keys: generateKeyPairSync('rsa', { modulusLength: 512 }) },
      'crypto/rsa: 512-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)',
    ],
    ['with a NUL in a name', { commonName: 'root\0.example' }, 'x509: a name contains a NUL character'],
    ['with a host beyond ASCII', { hosts: ['bücher.example'] }, 'x509: SAN dNSName is malformed'],
    [
      'with an extension twice',
      { extensions: [twice, twice] },
      'x509: certificate request contains duplicate requested extensions',
    ],
    ['with bytes after it', { damage: (der) => Buffer.concat([der, der]) }, 'asn1: syntax error: trailing data'],
  ])('%s is invalid, and says why', async (_, parts, detail) => {
    const request = encodedRequest(parts);
    const { status, body } = await api.post(collection, csr(request));
    expect([status, body.reason]).toEqual([422, 'Invalid']);
    expect(body.details.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        field: 'spec.request',
        message: `Invalid value: ${JSON.stringify(request)}: ${detail}`,
      },
    ]);
  });
});
