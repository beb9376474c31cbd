// Names that say that a user is nobody, or nothing at all: they give no rights of users that are known.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf } from './api.ts';
import { bearer, type Headers, secureCall, whoIs } from './secure-call.ts';

const authority = createAuthority('both', Date.now());
const client = (commonName: string, ...organizations: string[]) =>
  signLeaf(authority, { usage: 'client', commonName, organizations }, Date.now());

let folder: TempFolder;
let server: Server;
beforeAll(async () => {
  folder = new TempFolder();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const ca = file('ca.crt', authority.certificate);
  server = await startTestServer({
    clientCaFile: ca,
    requestheaderClientCaFile: ca,
    requestheaderAllowedNames: ['front'],
    requestheaderUsernameHeaders: ['X-Remote-User'],
    requestheaderGroupHeaders: ['X-Remote-Group'],
    requestheaderExtraHeadersPrefixes: ['X-Remote-Extra-'],
    enableBootstrapTokenAuth: true,
    tokenAuthFile: file('tokens.csv', 'secret,ann,ann-uid\n'),
  });
});
afterAll(async () => {
  await server.close();
  folder[Symbol.dispose]();
});

describe('a proxy', () => {
  const proxy = client('front');
  const named = (headers: Headers) => whoIs(server, { pair: proxy, headers });

  test.each<[string, Headers]>([
    ['the anonymous user', { 'x-remote-user': 'system:anonymous' }],
    [
      'the anonymous user in its group',
      { 'x-remote-user': 'system:anonymous', 'x-remote-group': 'system:unauthenticated' },
    ],
    ['a user that is not known', { 'x-remote-user': 'ann', 'x-remote-group': ['a', 'system:unauthenticated'] }],
  ])('that passes on %s makes no known user of it', async (_, headers) => {
    expect(await named(headers)).toBe('403 Forbidden');
  });

  test('names no empty group', async () => {
    expect(await named({ 'x-remote-user': 'ann', 'x-remote-group': ['', 'a', ''] })).toEqual({
      username: 'ann',
      groups: ['a', 'system:authenticated'],
    });
  });

  test('may escape keys that are no UTF-8, which are another than their escapes', async () => {
    const headers = { 'x-remote-user': 'ann', 'x-remote-extra-%ff': 'a', 'x-remote-extra-%zz': 'b' };
    expect(await named(headers)).toMatchObject({ extra: { '\ufffd': ['a'], '%zz': ['b'] } });
  });
});

test.each([
  ['the anonymous user', client('system:anonymous')],
  ['the anonymous user, of a group', client('system:anonymous', 'system:unauthenticated')],
])('a certificate of %s makes no known user', async (_, pair) => {
  expect(await whoIs(server, { pair })).toBe('403 Forbidden');
});

test.each([
  ['of a group', client('', 'system:masters')],
  ['of no group', client('')],
])('a certificate without a name, %s, is refused where proxies have names', async (_, pair) => {
  const { status } = await secureCall(server, 'GET', '/version', { pair });
  expect(status).toBe(401);
});

test.each(['secret\u00a0', '\u00a0secret', 'secret\u00a0 '])('a token has one spelling: not %j', async (token) => {
  // without a body, with which the client would send the header in UTF-8
  const { status } = await secureCall(server, 'GET', '/version', { headers: bearer(token) });
  expect(status).toBe(401);
  expect(await whoIs(server, { headers: bearer('secret') })).toMatchObject({ username: 'ann' });
});

describe('a bootstrap token', () => {
  const make = (id: string, more: Record<string, string>) =>
    apiOf(server).post('/api/v1/namespaces/kube-system/secrets', {
      metadata: { name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        'token-id': id,
        'token-secret': '0123456789abcdef',
        'usage-bootstrap-authentication': 'true',
        ...more,
      },
    });
  const user = (id: string) => whoIs(server, { headers: bearer(`${id}.0123456789abcdef`) });

  test.each([
    ['9999-01-01', 'aaaaa0'],
    ['9999', 'aaaaa1'],
    ['Jan 1 9999', 'aaaaa2'],
    ['9999-01-01T00:00:00', 'aaaaa3'],
    ['9999-02-30T00:00:00Z', 'aaaaa4'],
    ['9999-01-01T24:00:00Z', 'aaaaa5'],
    ['9999-01-01 00:00:00Z', 'aaaaa6'],
  ])('that ends at %j, which is no time, has ended', async (expiration, id) => {
    await make(id, { expiration });
    expect(await user(id)).toBe('401 Unauthorized');
  });

  test.each([
    ['system:bootstrappers:a , system:bootstrappers:b', 'bbbbb0'],
    ['system:bootstrappers:a\n', 'bbbbb1'],
    ['system:bootstrappers:a,,system:bootstrappers:b', 'bbbbb2'],
    ['system:bootstrappers:a,system:masters', 'bbbbb3'],
  ])('for the groups %j is refused', async (groups, id) => {
    await make(id, { 'auth-extra-groups': groups });
    expect(await user(id)).toBe('401 Unauthorized');
  });

  test('with a time and groups that can be read is known', async () => {
    await make('ccccc0', { expiration: '9999-01-01T00:00:00Z', 'auth-extra-groups': 'system:bootstrappers:a' });
    expect(await user('ccccc0')).toMatchObject({ username: 'system:bootstrap:ccccc0' });
  });
});
