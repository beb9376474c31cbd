// The file of structured authentication: several issuers, expressions, paths that need no credentials, and changes while the server runs.

import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { OptionError, type Server, type ServerOptions } from '../../src/index.ts';
import { createServer } from '../../src/server/create-server.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { newKey, OidcIssuer } from '../oidc-issuer.ts';
import { apiOf } from './api.ts';
import { eventually, turns } from './eventually.ts';
import { authentication, bearer, secureCall, whoIs } from './secure-call.ts';

let folder: TempFolder;
let one: OidcIssuer;
let two: OidcIssuer;
let server: Server;
let path: string;
const clock = new FakeClock(Date.now());
const logged: string[] = [];

const document = (...parts: object[]) =>
  stringify({
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    ...Object.assign({}, ...parts),
  });

/** An issuer, believed with the usual claims unless told otherwise. */
const jwt = (issuer: OidcIssuer, more: object = {}, about: object = {}) => ({
  issuer: { url: issuer.url, audiences: ['keelson'], certificateAuthority: issuer.ca, ...about },
  claimMappings: { username: { claim: 'sub', prefix: `${issuer.port}:` } },
  ...more,
});

const livez = { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } };

beforeAll(async () => {
  folder = new TempFolder();
  [one, two] = await Promise.all([OidcIssuer.start(0, [newKey('ec')]), OidcIssuer.start(0, [newKey('ec')])]);
  const expressions = {
    claimMappings: {
      username: { expression: "'two:' + claims.sub" },
      groups: { expression: 'claims.?roles.orValue([])' },
      extra: [{ key: 'example.org/tenant', valueExpression: 'claims.?tenant.orValue("")' }],
    },
    userValidationRules: [{ expression: "!user.groups.exists(g, g.startsWith('system:'))", message: 'reserved' }],
  };
  const about = {
    audiences: ['keelson', 'another'],
    audienceMatchPolicy: 'MatchAny',
    discoveryURL: `${two.url}/d/.well-known/openid-configuration`,
  };
  path = folder.write('config.yaml', document({ jwt: [jwt(one), jwt(two, expressions, about)] }, livez));
  const log = { info: note, warn: note, error: note };
  server = await startTestServer({ controllers: [], authenticationConfig: path, clock, log });
  await eventually(async () => {
    for (const issuer of [one, two])
      expect(await who(issuer.token())).toMatchObject({ groups: ['system:authenticated'] });
  });
});
afterAll(async () => {
  await server.close();
  await one.close();
  await two.close();
  folder[Symbol.dispose]();
});

const note = (fields: object, text: string) =>
  void logged.push(`${text} ${String((fields as { err?: Error }).err ?? '')}`);
const who = (token: string) => whoIs(server, { headers: bearer(token) });
const status = async (at: string) => (await secureCall(server, 'GET', at)).status;

/** Writes the file and lets the server look at it until it has done what is expected. */
async function rewrite(text: string, done: () => Promise<void>): Promise<void> {
  writeFileSync(path, text);
  logged.length = 0;
  await eventually(async () => {
    clock.advance(5_000);
    await turns();
    await done();
  });
}

const reloads = (status: string, count: number) =>
  new RegExp(
    `^apiserver_authentication_config_controller_automatic_reloads_total\\{status="${status}",apiserver_id_hash="sha256:\\w{64}"\\} ${count}$`,
    'm',
  );

describe('issuers of the file', () => {
  test('make users in their own ways', async () => {
    expect(await who(one.token())).toEqual({ username: `${one.port}:ann`, groups: ['system:authenticated'] });
    expect(await who(two.token({ aud: 'another', roles: ['dev'], tenant: 'acme' }))).toEqual({
      username: 'two:ann',
      groups: ['dev', 'system:authenticated'],
      extra: { 'example.org/tenant': ['acme'] },
    });
    expect(two.asked).toContain('/d/.well-known/openid-configuration');
  });

  test('are believed for their own tokens alone', async () => {
    expect(await who(one.token({ iss: two.url }))).toBe('401 Unauthorized');
    expect(await who(one.token({ aud: 'another' }))).toBe('401 Unauthorized');
    expect(await who(two.token({ roles: ['system:masters'] }))).toBe('401 Unauthorized');
  });

  test('are told apart in reviews', async () => {
    const spec = { token: two.token({ roles: ['system:masters'] }) };
    const { body } = await apiOf(server).post(`${authentication}/tokenreviews`, { spec });
    expect(body.status.error).toContain('failed: reserved');
  });
});

describe('callers without credentials', () => {
  test('are let in at the paths of the file, and nowhere else', async () => {
    expect(await status('/livez')).toBe(200);
    for (const other of ['/readyz', '/version', '/livez/', '/livez/ping', '/livez%2F', '/%6Civez', '/api'])
      expect(await status(other)).toBe(401);
    expect((await secureCall(server, 'GET', '/livez', { headers: bearer('wrong') })).status).toBe(401);
  });
});

describe('a file that changes', () => {
  test('is used when its issuers have been reached', async () => {
    const next = document({ jwt: [jwt(one, { claimMappings: { username: { claim: 'sub', prefix: 'new:' } } })] });
    await rewrite(next, async () => expect(await who(one.token())).toMatchObject({ username: 'new:ann' }));
    expect(await who(two.token())).toBe('401 Unauthorized');
    // the file says nothing of callers without credentials any more
    expect(await status('/readyz')).toBe(200);
    const { body } = await apiOf(server).get('/metrics');
    expect(body).toMatch(reloads('success', 1));
  });

  test('is not used when it is wrong, and the fields are named', async () => {
    await rewrite(document({ jwt: [{ issuer: { url: 'http://x' } }] }), async () =>
      expect(logged.join()).toContain('jwt[0].issuer.url: Invalid value: "http://x"'),
    );
    expect(logged.join()).toContain('jwt[0].issuer.audiences: Required value');
    await rewrite('nonsense: [', async () => expect(logged.join()).toContain('the old one stays'));
    clock.advance(5_000);
    await turns();
    expect(logged).toHaveLength(1);
    expect(await who(one.token())).toMatchObject({ username: 'new:ann' });
    const { body } = await apiOf(server).get('/metrics');
    expect(body).toMatch(reloads('failure', 2));
    expect(body).toMatch(
      /authentication_config_controller_last_config_info\{apiserver_id_hash="sha256:\w{64}",hash="sha256:\w{64}"\} 1/,
    );
  });

  test('waits for an issuer that is not there', async () => {
    const gone = await OidcIssuer.start(0, [newKey('ec')]);
    const { port, keys } = gone;
    const next = document({ jwt: [jwt(gone)] });
    await gone.close();
    await rewrite(next, async () => expect(logged.join()).toContain('not all of its issuers can be reached'));
    expect(logged.join()).toContain('an issuer of tokens cannot be reached');
    expect(await who(one.token())).toMatchObject({ username: 'new:ann' });
    await using back = await OidcIssuer.start(port, keys);
    await eventually(async () => {
      clock.advance(5_000);
      expect(await who(back.token())).toMatchObject({ username: `${port}:ann` });
    });
    expect(await who(one.token())).toBe('401 Unauthorized');
  });
});

describe('a file that cannot be used', () => {
  const bad = (name: string, text: string) => folder.write(name, text);

  test.each<[string, () => ServerOptions, string]>([
    ['is not there', () => ({ authenticationConfig: '/nowhere' }), 'authenticationConfig: ENOENT'],
    ['is empty', () => ({ authenticationConfig: bad('empty', '') }), 'authenticationConfig: the file is empty'],
    [
      'has a wrong expression',
      () => ({
        authenticationConfig: bad(
          'expression',
          document({ jwt: [jwt(one, { claimMappings: { username: { expression: 'claims.' } } })] }),
        ),
      }),
      'authenticationConfig: jwt[0].claimMappings.username.expression: Invalid value',
    ],
    [
      'names an issuer of this server',
      () => ({
        authenticationConfig: bad('own', document({ jwt: [jwt(one, {}, { url: 'https://kubernetes.default.svc' })] })),
      }),
      'must not overlap with disallowed issuers',
    ],
    [
      'stands next to flags of an issuer',
      () => ({ authenticationConfig: bad('a', document()), oidcIssuerUrl: 'https://x', oidcClientId: 'x' }),
      'authenticationConfig: names issuers, and so does oidcIssuerUrl',
    ],
    [
      'contradicts the flag for callers without credentials',
      () => ({ authenticationConfig: bad('b', document(livez)), anonymousAuth: true }),
      'authenticationConfig: anonymous:',
    ],
  ])('because it %s fails at start', async (_, options, why) => {
    await expect(createServer(options())).rejects.toThrow(why);
    await expect(createServer(options())).rejects.toThrow(OptionError);
  });

  test('does not hinder one that leaves the flag alone', async () => {
    await using plain = await startTestServer({
      authenticationConfig: bad('c', document()),
      anonymousAuth: false,
    });
    expect((await secureCall(plain, 'GET', '/livez')).status).toBe(401);
  });
});
