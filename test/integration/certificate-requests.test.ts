// Certificate requests that clients send over the API: what is refused, and in which words.

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { createAuthority } from '../../src/pki/certificates.ts';
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

test('requests go through all that clients do with them, in the order of the conformance test of 1.36', async () => {
  await using server = await startTestServer({ listen: false });
  const api = apiOf(server);
  const signerName = 'example.com/e2e-test';
  const spec = { request: encodedRequest({ commonName: 'e2e.example.com', hosts: ['e2e.example.com'] }), signerName };
  const usages = ['digital signature', 'key encipherment', 'server auth'];
  const made = { metadata: { generateName: 'e2e-' }, spec: { ...spec, usages, expirationSeconds: 3600 } };
  const selected = `${collection}?fieldSelector=${encodeURIComponent(`spec.signerName=${signerName}`)}`;
  const count = async () => (await api.get(selected)).body.items.length;

  const versions = (await api.get('/apis/certificates.k8s.io')).body.versions;
  expect(versions).toContainEqual({ groupVersion: 'certificates.k8s.io/v1', version: 'v1' });
  const names = (await api.get('/apis/certificates.k8s.io/v1')).body.resources.map(
    ({ name }: { name: string }) => name,
  );
  for (const part of ['', '/approval', '/status']) expect(names).toContain(`certificatesigningrequests${part}`);

  for (let n = 0; n < 2; n++) expect((await api.post(collection, made)).status).toBe(201);
  const { metadata } = (await api.post(collection, made)).body;
  const path = `${collection}/${metadata.name}`;
  expect((await api.get(path)).body).toMatchObject({
    metadata: { uid: metadata.uid },
    spec: { expirationSeconds: 3600 },
  });
  expect(await count()).toBe(3);

  const patched = await api.patch('merge', path, { metadata: { annotations: { patched: 'true' } } });
  expect(Number(patched.body.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
  patched.body.metadata.annotations.updated = 'true';
  expect((await api.put(path, patched.body)).body.metadata.annotations).toEqual({ patched: 'true', updated: 'true' });

  expect((await api.get(`${path}/approval`)).body).toMatchObject({
    kind: 'CertificateSigningRequest',
    metadata: { uid: metadata.uid },
  });
  const condition = { type: 'ApprovalPatch', status: 'True', reason: 'e2e' };
  const approval = await api.patch('merge', `${path}/approval`, {
    metadata: { annotations: { patchedapproval: 'true' } },
    status: { conditions: [condition] },
  });
  expect(approval.body).toMatchObject({
    metadata: { annotations: { patchedapproval: 'true' } },
    status: { conditions: [condition] },
  });
  approval.body.status.conditions.push({ type: 'Approved', status: 'True', reason: 'E2E', message: 'by a test' });
  const approved = await api.put(`${path}/approval`, approval.body);
  expect(approved.body.status.conditions.map(({ type }: { type: string }) => type)).toEqual([
    'ApprovalPatch',
    'Approved',
  ]);

  expect((await api.get(`${path}/status`)).body.metadata.uid).toBe(metadata.uid);
  const certificate = Buffer.from(createAuthority('e2e.example.com', Date.now()).certificate).toString('base64');
  const given = await api.patch('merge', `${path}/status`, {
    metadata: { annotations: { patchedstatus: 'true' } },
    status: { certificate },
  });
  expect(given.body).toMatchObject({ metadata: { annotations: { patchedstatus: 'true' } }, status: { certificate } });
  given.body.status.conditions.push({ type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'by a test' });
  expect((await api.put(`${path}/status`, given.body)).body.status.conditions.at(-1).type).toBe('StatusUpdate');

  await api.delete(path);
  expect([(await api.get(path)).status, await count()]).toEqual([404, 2]);
  await api.delete(selected);
  expect(await count()).toBe(0);
});
