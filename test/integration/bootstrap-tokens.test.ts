// Bootstrap tokens through the API: who cleans them up, and what they sign.

import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually, gone, turns } from './eventually.ts';

async function start(options: Parameters<typeof startTestServer>[0]) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const server = await startTestServer({ clock, ...options });
  return { clock, server, api: apiOf(server), [Symbol.asyncDispose]: () => server.close() };
}

interface Names {
  readonly system: string;
  readonly open: string;
  readonly labelDomain: string;
}
const kubernetes: Names = { system: 'kube-system', open: 'kube-public', labelDomain: 'kubernetes.io' };
const neutral: Names = { system: 'cluster-system', open: 'cluster-public', labelDomain: 'cluster.local' };

async function makeToken(api: Api, names: Names, id: string, more: Record<string, string> = {}): Promise<void> {
  const { status, body } = await api.post(`/api/v1/namespaces/${names.system}/secrets`, {
    metadata: { name: `bootstrap-token-${id}` },
    type: `bootstrap.${names.labelDomain}/token`,
    stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', ...more },
  });
  expect([status, body.message]).toEqual([201, undefined]);
}

const signing = { 'usage-bootstrap-signing': 'true' };
const informationIn = (names: Names) => `/api/v1/namespaces/${names.open}/configmaps/cluster-info`;
const signaturesIn = async (api: Api, names: Names) => {
  const { data = {} } = (await api.get(informationIn(names))).body;
  return Object.keys(data).filter((key) => key.startsWith('jws-'));
};

test('expired tokens go, where the cleaner was asked for', async () => {
  await using it = await start({ listen: false, controllers: ['*', 'tokencleaner'] });
  const { api, clock } = it;
  await makeToken(api, kubernetes, 'abcdef', { expiration: '2030-01-01T01:00:00Z' });
  await makeToken(api, kubernetes, 'fedcba');
  await makeToken(api, kubernetes, 'unread', { expiration: 'some day' });
  const path = (id: string) => `/api/v1/namespaces/kube-system/secrets/bootstrap-token-${id}`;
  // an unreadable expiry has come
  await gone(api, path('unread'));
  expect((await api.get(path('abcdef'))).status).toBe(200);
  clock.advance(3_600_000);
  await gone(api, path('abcdef'));
  expect((await api.get(path('fedcba'))).status).toBe(200);
});

describe('with the signer', () => {
  test.each([
    ['kubernetes', kubernetes, '0123456789abcdef'],
    ['cluster', neutral, 'abcdef.0123456789abcdef'],
  ] as const)('in the %s dialect, a client can check where the server is', async (dialect, names, key) => {
    await using it = await start({ dialect, controllers: ['*', 'bootstrapsigner'] });
    const { api, server } = it;
    await makeToken(api, names, 'abcdef', signing);
    await eventually(async () => expect(await signaturesIn(api, names)).toEqual(['jws-kubeconfig-abcdef']));
    const { data } = (await api.get(informationIn(names))).body;
    const [header, , signature] = data['jws-kubeconfig-abcdef'].split('.');
    const payload = Buffer.from(data.kubeconfig).toString('base64url');
    expect(createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url')).toBe(signature);
    const [{ cluster }] = parse(data.kubeconfig).clusters;
    expect(cluster.server).toBe(server.url);
    const [{ cluster: own }] = parse(server.kubeconfig).clusters;
    expect(cluster['certificate-authority-data']).toBe(own['certificate-authority-data']);
  });

  test('signatures come and go with tokens, at their end, and follow what is signed', async () => {
    await using it = await start({ controllers: ['bootstrap-signer-controller'] });
    const { api, clock } = it;
    await makeToken(api, kubernetes, 'aaaaaa', signing);
    await makeToken(api, kubernetes, 'bbbbbb', { ...signing, expiration: '2030-01-01T01:00:00Z' });
    await makeToken(api, kubernetes, 'cccccc', { 'usage-bootstrap-authentication': 'true' });
    const both = ['jws-kubeconfig-aaaaaa', 'jws-kubeconfig-bbbbbb'];
    await eventually(async () => expect(await signaturesIn(api, kubernetes)).toEqual(both));
    const signature = async () => (await api.get(informationIn(kubernetes))).body.data[both[0] as string];
    const before = await signature();
    await api.patch('merge', informationIn(kubernetes), { data: { kubeconfig: 'elsewhere' } });
    await eventually(async () => expect(await signature()).not.toBe(before));
    clock.advance(3_599_000);
    await turns();
    expect(await signaturesIn(api, kubernetes)).toEqual(both);
    clock.advance(1000);
    await eventually(async () => expect(await signaturesIn(api, kubernetes)).toEqual([both[0]]));
    await api.delete('/api/v1/namespaces/kube-system/secrets/bootstrap-token-aaaaaa');
    await eventually(async () => expect(await signaturesIn(api, kubernetes)).toEqual([]));
    await api.patch('merge', informationIn(kubernetes), { data: { 'jws-kubeconfig-forged': 'x' } });
    await eventually(async () => expect(await signaturesIn(api, kubernetes)).toEqual([]));
  });

  test('information that another client wrote is signed as it is', async () => {
    await using it = await start({ listen: false, controllers: ['*', 'bootstrapsigner'] });
    const { api, server } = it;
    expect((await api.get(informationIn(kubernetes))).status).toBe(404);
    const mine = { metadata: { name: 'cluster-info' }, data: { kubeconfig: 'written by hand' } };
    await api.post('/api/v1/namespaces/kube-public/configmaps', mine);
    await makeToken(api, kubernetes, 'abcdef', signing);
    await server.listen();
    await eventually(async () => expect(await signaturesIn(api, kubernetes)).toEqual(['jws-kubeconfig-abcdef']));
    expect((await api.get(informationIn(kubernetes))).body.data.kubeconfig).toBe('written by hand');
  });
});

test('without the signer there is no public information', async () => {
  await using it = await start({});
  expect((await it.api.get(informationIn(kubernetes))).status).toBe(404);
});
