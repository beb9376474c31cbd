// The second document's sentences about certificate requests that the control plane answers, in each dialect: the same requests
// to a server of either.

import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signerNames } from '../../src/meta/dialect.ts';
import { createAuthority } from '../../src/pki/certificates.ts';
import { boolean, oid, sequence } from '../../src/pki/der.ts';
import { encodedRequest, extension, type RequestParts } from '../../src/testing/certificate-requests.ts';
import { FakeClock, startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { dialects } from './dialects.ts';
import { eventually, turns } from './eventually.ts';

const node: RequestParts = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const agentUsages = ['digital signature', 'key encipherment', 'client auth'];
const hour = 3600;

describe.each(dialects)('in the %s dialect', (name, dialect) => {
  const { apiDomain } = dialect;
  const signers = signerNames(dialect);
  const root = `/apis/certificates.${apiDomain}`;
  const requests = `${root}/v1/certificatesigningrequests`;
  const rbac = `rbac.authorization.${apiDomain}`;
  let clock: FakeClock;
  let server: TestServer;
  let api: Api;

  beforeAll(async () => {
    clock = new FakeClock(Date.now());
    server = await startTestServer({
      ...{ dialect: name, listen: false, clock, clusterSigningDurationSeconds: 24 * hour },
    });
    api = apiOf(server);
    const apiGroups = [`certificates.${apiDomain}`];
    const rules = [{ apiGroups, resources: ['certificatesigningrequests'], verbs: ['create'] }];
    await api.post(`/apis/${rbac}/v1/clusterroles`, { metadata: { name: 'asks' }, rules });
    await bind('askers', 'asks', { kind: 'Group', name: 'askers' });
  });
  afterAll(() => server.close());

  async function bind(binding: string, role: string, subject: object): Promise<void> {
    const { status } = await api.post(`/apis/${rbac}/v1/clusterrolebindings`, {
      metadata: { name: binding },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: rbac, ...subject }],
    });
    expect(status).toBe(201);
  }
  /** Lets a user have certificates approved, by the role that every cluster has. */
  const allow = (user: string) =>
    bind(`client-${user}`, `system:certificates.${apiDomain}:certificatesigningrequests:nodeclient`, {
      kind: 'User',
      name: user,
    });
  async function ask(request: string, user: string, parts: RequestParts, spec: object): Promise<void> {
    const headers = { 'impersonate-user': user, 'impersonate-group': 'askers' };
    const body = { metadata: { name: request }, spec: { request: encodedRequest(parts), ...spec } };
    const { status, body: answer } = await api.call('POST', requests, body, headers);
    expect([status, answer.message]).toEqual([201, undefined]);
  }
  const statusOf = async (request: string) => (await api.get(`${requests}/${request}`)).body.status;
  const signed = (request: string) =>
    eventually(async () => {
      clock.advance(1000);
      return new X509Certificate(Buffer.from((await statusOf(request)).certificate, 'base64'));
    });

  describe('without a user', () => {
    test('a client certificate of a node agent is approved once its user may have it, no other', async () => {
      const agent = { signerName: signers.agentClient, usages: agentUsages };
      const others: readonly (readonly [string, RequestParts, object])[] = [
        ['further-names', { ...node, hosts: ['n1'] }, agent],
        ['further-groups', { ...node, organizations: ['system:nodes', 'system:masters'] }, agent],
        ['further-usages', node, { ...agent, usages: [...agentUsages, 'server auth'] }],
        [
          'of-a-server',
          { ...node, hosts: ['n1'] },
          { signerName: signers.agentServing, usages: ['digital signature', 'key encipherment', 'server auth'] },
        ],
        ['for-any-client', node, { ...agent, signerName: signers.client }],
      ];
      await ask('early', 'joiner', node, agent);
      await turns();
      expect(await statusOf('early')).toEqual({});
      await allow('joiner');
      for (const [request, parts, spec] of others) await ask(request, 'joiner', parts, spec);
      await ask('right', 'joiner', node, agent);
      for (const request of ['early', 'right']) {
        const { subject } = await signed(request);
        expect(subject).toBe('O=system:nodes\nCN=system:node:n1');
        expect((await statusOf(request)).conditions).toMatchObject([
          { type: 'Approved', status: 'True', message: expect.stringContaining('after SubjectAccessReview') },
        ]);
      }
      for (const [request] of others) expect([request, await statusOf(request)]).toEqual([request, {}]);
    });
  });

  test.each([
    [undefined, 24 * hour],
    [48 * hour, 24 * hour],
    [10 * hour, 10 * hour],
    // short ones begin earlier on top, so that clocks may differ
    [600, 900],
  ])(
    'a certificate asked for with %s seconds lasts for the shorter of both times',
    async (expirationSeconds, lasts) => {
      const request = `lasts-${expirationSeconds ?? 'default'}`;
      const spec = {
        signerName: signers.client,
        usages: ['client auth'],
        ...(expirationSeconds && { expirationSeconds }),
      };
      await ask(request, 'ann', { commonName: 'ann' }, spec);
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Test' }];
      await api.patch('merge', `${requests}/${request}/approval`, { status: { conditions } });
      const { validFrom, validTo } = await signed(request);
      expect((Date.parse(validTo) - Date.parse(validFrom)) / 1000).toBeCloseTo(lasts, -1);
    },
  );

  test('a request that is denied gets no certificate, and one that is approved gets one', async () => {
    const spec = { signerName: signers.client, usages: ['client auth'] };
    const decide = async (request: string, type: string) => {
      const conditions = [{ type, status: 'True', reason: 'Test', message: '' }];
      const path = `${requests}/${request}/approval`;
      return (await api.patch('merge', path, { status: { conditions } })).status;
    };
    for (const request of ['undecided', 'denied', 'approved']) await ask(request, 'ann', { commonName: 'ann' }, spec);
    expect([await decide('denied', 'Denied'), await decide('approved', 'Approved')]).toEqual([200, 200]);
    expect((await signed('approved')).subject).toBe('CN=ann');
    await turns();
    expect(await statusOf('undecided')).toEqual({});
    expect(await statusOf('denied')).toEqual({ conditions: [expect.objectContaining({ type: 'Denied' })] });
    // neither decision can be turned around
    expect([await decide('denied', 'Approved'), await decide('approved', 'Denied')]).toEqual([422, 422]);
  });

  test.each([
    ['client', { commonName: 'ann', organizations: ['devs'] }, ['client auth']],
    ['agentServing', node, ['digital signature', 'key encipherment', 'server auth']],
  ] as const)(
    'the signer %s keeps names of hosts, drops other extensions, and signs no CA',
    async (signer, subject, usages) => {
      const request = `extended-${signer.toLowerCase()}`;
      const parts = {
        ...{ ...subject, hosts: ['n1.example'], addresses: [Buffer.of(10, 0, 0, 1)] },
        extensions: [extension('1.2.3.4.5', sequence(), false), extension('2.5.29.19', sequence(boolean(true)), true)],
      };
      await ask(request, 'ann', parts, { signerName: signers[signer], usages });
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
      await api.patch('merge', `${requests}/${request}/approval`, { status: { conditions } });
      const certificate = await signed(request);
      expect(certificate.subjectAltName).toBe('DNS:n1.example, IP Address:10.0.0.1');
      expect(certificate.ca).toBe(false);
      expect(certificate.raw.includes(oid('1.2.3.4.5'))).toBe(false);
    },
  );

  test('a request is created, read, listed and watched, then approved, and signed by its parts', async () => {
    const signerName = 'example.com/signer';
    const path = `${requests}/whole`;
    const { resourceVersion } = (await api.get(requests)).body.metadata;
    const watched = `${requests}?watch=1&fieldSelector=metadata.name%3Dwhole&resourceVersion=${resourceVersion}`;
    const reader = ((await server.fetch(watched)).body as ReadableStream<Uint8Array>).getReader();
    await ask('whole', 'ann', {}, { signerName, usages: ['client auth'] });
    expect(JSON.parse(Buffer.from((await reader.read()).value ?? []).toString())).toMatchObject({
      type: 'ADDED',
      object: { apiVersion: `certificates.${apiDomain}/v1`, spec: { signerName, username: 'ann' } },
    });
    await reader.cancel();
    const listed = await api.get(`${requests}?fieldSelector=${encodeURIComponent(`spec.signerName=${signerName}`)}`);
    expect(listed.body.items).toHaveLength(1);

    const condition = { type: 'Approved', status: 'True', reason: 'Test' };
    const certificate = Buffer.from(createAuthority('any', Date.now()).certificate).toString('base64');
    const { body } = await api.get(path);
    // neither is for the object itself to say
    await api.put(path, { ...body, status: { conditions: [condition], certificate } });
    expect(await statusOf('whole')).toEqual({});
    const approved = await api.put(`${path}/approval`, { ...body, status: { conditions: [condition], certificate } });
    expect(approved.body.status).toEqual({
      conditions: [{ ...condition, lastUpdateTime: expect.any(String), lastTransitionTime: expect.any(String) }],
    });
    const issued = await api.put(`${path}/status`, {
      ...approved.body,
      status: { ...approved.body.status, certificate },
    });
    expect([issued.status, issued.body.status.certificate]).toEqual([200, certificate]);
    expect((await api.delete(path)).status).toBe(200);
  });
});
