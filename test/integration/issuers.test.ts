// Tokens of OpenID Connect issuers, as flags configure them. Spec: "OpenID Connect flags", "General rules", "Errors".

import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveFlags } from '../../src/cli/flags/flags.ts';
import { parseFlags } from '../../src/cli/flags/parse-flags.ts';
import { OptionError, type Server, type ServerOptions } from '../../src/index.ts';
import { createServer } from '../../src/server/create-server.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { newKey, OidcIssuer } from '../oidc-issuer.ts';
import { type Api, apiOf } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { dialects } from './dialects.ts';
import { eventually } from './eventually.ts';
import { authentication, bearer, secureCall, whoIs } from './secure-call.ts';

let folder: TempFolder;
let issuer: OidcIssuer;
let server: Server;
let admin: Api;

const options = (more: ServerOptions = {}): ServerOptions => ({
  controllers: [],
  oidcIssuerUrl: issuer.url,
  oidcClientId: 'keelson',
  oidcCaFile: folder.write('issuer.crt', issuer.ca),
  ...more,
});
const good = { hd: 'example.org' };
const who = (token: string, at = server) => whoIs(at, { headers: bearer(token) });

beforeAll(async () => {
  folder = new TempFolder();
  issuer = await OidcIssuer.start();
  server = await startTestServer(
    options({
      oidcGroupsClaim: 'groups',
      oidcGroupsPrefix: 'oidc:',
      oidcRequiredClaims: { hd: 'example.org' },
      tokenAuthFile: folder.write('tokens', 'static-token,sam,s-1\n'),
    }),
  );
  admin = apiOf(server);
  await eventually(async () => expect(await who(issuer.token(good))).toMatchObject({ username: expect.any(String) }));
});
afterAll(async () => {
  await server.close();
  await issuer.close();
  folder[Symbol.dispose]();
});

describe('a token of the issuer', () => {
  test('stands for a user whose name says who vouches for it', async () => {
    expect(await who(issuer.token({ ...good, groups: ['devs', 'ops'] }))).toEqual({
      username: `${issuer.url}#ann`,
      groups: ['oidc:devs', 'oidc:ops', 'system:authenticated'],
    });
    expect(await who('static-token')).toMatchObject({ username: 'sam' });
  });

  test.each<[string, () => string]>([
    ['for another audience', () => issuer.token({ ...good, aud: 'other' })],
    ['expired', () => issuer.token({ ...good, exp: Math.floor(Date.now() / 1000) - 1 })],
    ['without a required claim', () => issuer.token({})],
    ['signed in a way that is not allowed', () => issuer.token(good, { ...issuerKey(), algorithm: 'RS512' })],
    ['signed by another key', () => issuer.token(good, newKey('ec'))],
    ['tampered with', () => issuer.token(good).replace(/\.[\w-]{8}/, '.AAAAAAAA')],
  ])('that is %s is refused, although no client needs one', async (_, token) => {
    const { status, body } = await secureCall(server, 'GET', '/version', { headers: bearer(token()) });
    expect([status, body.reason]).toEqual([401, 'Unauthorized']);
    expect((await secureCall(server, 'GET', '/version')).status).toBe(200);
  });

  test('that is too large is refused', async () => {
    const headers = bearer(issuer.token({ ...good, pad: 'x'.repeat(100_000) }));
    const { status, body } = await secureCall(server, 'GET', '/version', { headers });
    expect(status).toBe(401);
    expect(body.reason).toBe('Unauthorized');
  });

  const issuerKey = () => {
    const [key] = issuer.keys;
    if (key === undefined) throw new Error('no key');
    return key;
  };

  test('is reviewed with its audiences', async () => {
    const review = async (spec: object) => (await admin.post(`${authentication}/tokenreviews`, { spec })).body.status;
    const token = issuer.token(good);
    const user = { username: `${issuer.url}#ann` };
    const audiences = ['https://kubernetes.default.svc'];
    expect(await review({ token })).toMatchObject({ authenticated: true, user, audiences });
    expect(await review({ token, audiences: ['elsewhere'] })).toEqual({ user: {}, error: 'invalid bearer token' });
    const refused = await review({ token: issuer.token({ ...good, aud: 'other' }) });
    expect(refused).toEqual({
      user: {},
      error: expect.stringContaining('expected audience in ["keelson"] got ["other"]'),
    });
  });

  test('is believed when the issuer has changed its keys', async () => {
    const key = newKey();
    const token = issuer.token(good, key);
    expect(await who(token)).toBe('401 Unauthorized');
    issuer.keys = [key, ...issuer.keys];
    expect(await who(token)).toMatchObject({ username: `${issuer.url}#ann` });
  });

  test('is counted, and its issuer is not named', async () => {
    const { body } = await admin.get('/metrics');
    expect(body).toMatch(/authentication_attempts\{result="success"\} [1-9]/);
    expect(body).toMatch(/authentication_attempts\{result="error"\} [1-9]/);
    expect(body).toMatch(/authenticated_user_requests\{username="other"\} [1-9]/);
    const latency = 'apiserver_authentication_jwt_authenticator_latency_seconds_count';
    expect(body).toMatch(new RegExp(`${latency}\\{result="success",jwt_issuer_hash="sha256:[0-9a-f]{64}"\\} [1-9]`));
    const fetched = 'apiserver_authentication_jwt_authenticator_jwks_fetch_last_timestamp_seconds';
    const hash = (label: string) => `${label}="sha256:[0-9a-f]{64}"`;
    const of = `${hash('jwt_issuer_hash')},${hash('apiserver_id_hash')}`;
    expect(body).toMatch(new RegExp(`${fetched}\\{result="success",${of}\\} [1-9]`));
    const keySet = 'apiserver_authentication_jwt_authenticator_jwks_fetch_last_key_set_info';
    expect(body).toMatch(new RegExp(`${keySet}\\{${of},${hash('hash')}\\} 1`));
    expect(body).not.toContain(issuer.url);
  });
});

describe('headers', () => {
  test('may hold large tokens, up to a limit', async () => {
    const large = (size: number) => secureCall(server, 'GET', '/version', { headers: bearer('x'.repeat(size)) });
    expect((await large(200_000)).status).toBe(401);
    expect(await answerToEndlessHeader()).toMatch(/^HTTP\/1\.1 431 /);
    expect((await large(10)).status).toBe(401);
  });

  test('of a WebSocket carry a token next to a protocol', async () => {
    const prefix = 'base64url.bearer.authorization.k8s.io.';
    const carry = (token: string) => `${prefix}${Buffer.from(token).toString('base64url')}`;
    const path = '/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=1';
    await admin.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'sam' },
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'sam' }],
    });
    const head = (protocols: string) => handshake(path, protocols);
    await eventually(async () => expect(await head(`${carry('static-token')}, a.b`)).toMatch(/^HTTP\/1\.1 101 /));
    const opened = await head(`${carry('static-token')}, v1.example`);
    expect(opened).toContain('Sec-WebSocket-Protocol: v1.example\r\n');
    expect(opened).not.toContain('base64url');
    const refused = [
      carry('static-token'),
      `${carry('wrong')}, v1.example`,
      `${prefix}!, v1.example`,
      `${prefix}, v1.example`,
      `${prefix}_w, v1.example`,
      `${carry('static-token')}, ${carry('static-token')}, v1.example`,
    ];
    for (const protocols of refused) expect(await head(protocols)).toMatch(/^HTTP\/1\.1 401 /);
    expect(await head('v1.example')).toMatch(/^HTTP\/1\.1 403 /);
  });

  /** A piece at a time, each read before the next: who floods a connection may lose the answer to its end. */
  async function answerToEndlessHeader(): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const { ca } = credentialsOf(server.kubeconfig);
    const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] });
    let answer = '';
    socket
      .on('error', () => {})
      .on('data', (chunk: Buffer) => {
        answer += chunk.toString('latin1');
      });
    await once(socket, 'secureConnect');
    socket.write('GET /version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ');
    const piece = 'x'.repeat(16 * 1024);
    for (let sent = 0; answer === '' && sent < 4 * 1024 * 1024; sent += piece.length) {
      await new Promise((resolve) => socket.write(piece, resolve));
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    socket.destroy();
    return answer;
  }

  function handshake(path: string, protocols: string): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const { ca } = credentialsOf(server.kubeconfig);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: ['http/1.1'] }, () => {
        const lines = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
        const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`;
        socket.write(
          `GET ${path} HTTP/1.1\r\n${[...lines, key, `Sec-WebSocket-Protocol: ${protocols}`].join('\r\n')}\r\n\r\n`,
        );
      });
      let text = '';
      socket.on('error', reject).on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        if (!text.includes('\r\n\r\n')) return;
        socket.destroy();
        resolve(text.slice(0, text.indexOf('\r\n\r\n') + 2));
      });
    });
  }
});

describe('names', () => {
  test.each<[string, ServerOptions, object, string]>([
    ['with a prefix of their own', { oidcUsernamePrefix: 'corp:' }, {}, 'corp:ann'],
    ['without one', { oidcUsernamePrefix: '-' }, {}, 'ann'],
    ['by address', { oidcUsernameClaim: 'email' }, { email: 'ann@example.org' }, 'ann@example.org'],
    [
      'by address with a prefix',
      { oidcUsernameClaim: 'email', oidcUsernamePrefix: 'mail:' },
      { email: 'ann@example.org' },
      'mail:ann@example.org',
    ],
  ])('can be %s', async (_, more, claims, username) => {
    await using other = await startTestServer({ listen: false, ...options(more) });
    await eventually(async () => {
      const spec = { token: issuer.token(claims) };
      const { body } = await apiOf(other).post(`${authentication}/tokenreviews`, { spec });
      expect(body.status.user.username).toBe(username);
    });
  });
});

describe('an issuer that is not there', () => {
  test('keeps no server from starting, and is found when it comes', async () => {
    const down = await OidcIssuer.start();
    const { port } = down;
    const token = down.token(good);
    const keys = down.keys;
    const url = down.url;
    await down.close();
    const warnings: string[] = [];
    const log = { info() {}, error() {}, warn: (_: object, text: string) => void warnings.push(text) };
    const clock = new FakeClock(Date.now());
    await using other = await startTestServer({ listen: false, ...options({ oidcIssuerUrl: url, log, clock }) });
    const review = async () =>
      (await apiOf(other).post(`${authentication}/tokenreviews`, { spec: { token } })).body.status;
    expect((await review()).error).toContain('oidc: authenticator not initialized');
    await eventually(async () => expect(warnings).toContain('an issuer of tokens cannot be reached'));
    await using _back = await OidcIssuer.start(port, keys);
    clock.advance(10_000);
    await eventually(async () => expect(await review()).toMatchObject({ authenticated: true }));
  });

  test('or that sends elsewhere, or too much, is not believed', async () => {
    await using odd = await OidcIssuer.start(0, issuer.keys);
    const warnings: string[] = [];
    const log = {
      info() {},
      error() {},
      warn: (fields: object) => void warnings.push(String((fields as { err: Error }).err)),
    };
    const path = '/.well-known/openid-configuration';
    for (const [answer, why] of [
      [{ status: 302, headers: { location: `${issuer.url}${path}` }, body: '' }, 'answered with 302'],
      [{ status: 200, body: `"${'x'.repeat(2_000_000)}"` }, 'more than 1048576 bytes'],
      [{ status: 200, body: 'secret words' }, 'no JSON'],
    ] as const) {
      warnings.length = 0;
      odd.answers.set(path, answer);
      await using _server = await startTestServer({ listen: false, ...options({ oidcIssuerUrl: odd.url, log }) });
      await eventually(async () => expect(warnings.join()).toContain(why));
      expect(warnings.join()).not.toContain('secret words');
    }
  });

  test.each(['kubernetes', 'cluster'] as const)(
    'or whose certificate no CA vouches for is not believed: %s',
    async (dialect) => {
      const warnings: string[] = [];
      const log = {
        info() {},
        error() {},
        warn: (fields: object) => void warnings.push(String((fields as { err: Error }).err)),
      };
      const { oidcCaFile: _, ...others } = options({ log, dialect });
      await using _server = await startTestServer({ listen: false, ...others });
      await eventually(async () => expect(warnings.join()).toMatch(/certificate|self.signed/));
    },
  );
});

test('every --oidc-required-claim counts', () => {
  const flags = ['--oidc-required-claim=hd=example.org', '--oidc-required-claim=tier=a=b'];
  expect(parseFlags(serveFlags, flags)).toMatchObject({ oidcRequiredClaims: { hd: 'example.org', tier: 'a=b' } });
});

describe.each(dialects)('in the %s dialect, flags that contradict each other', (dialect, { vendor }) => {
  test.each<[ServerOptions, string]>([
    [{ oidcClientId: 'x' }, 'oidcClientId: needs oidcIssuerUrl as well'],
    [{ oidcGroupsClaim: 'x' }, 'oidcGroupsClaim: needs oidcIssuerUrl as well'],
    [{ oidcIssuerUrl: 'https://x' }, 'oidcIssuerUrl: needs oidcClientId as well'],
    [{ oidcIssuerUrl: 'http://x', oidcClientId: 'x' }, 'URL scheme must be https'],
    [{ oidcIssuerUrl: 'https://a:b@x', oidcClientId: 'x' }, 'username or password'],
    [{ oidcIssuerUrl: 'https://x?y', oidcClientId: 'x' }, 'must not contain a query'],
    [{ oidcIssuerUrl: `https://${vendor}.default.svc`, oidcClientId: 'x' }, 'must not overlap'],
    [{ oidcIssuerUrl: 'https://x', oidcClientId: 'x', oidcSigningAlgs: ['HS256'] }, 'oidcSigningAlgs: "HS256"'],
    [{ oidcIssuerUrl: 'https://x', oidcClientId: 'x', oidcSigningAlgs: ['none'] }, 'oidcSigningAlgs: "none"'],
    [{ oidcIssuerUrl: 'https://x', oidcClientId: 'x', oidcCaFile: '/nowhere' }, 'oidcCaFile: /nowhere'],
  ])('%j fails at start', async (given, why) => {
    await expect(createServer({ dialect, ...given })).rejects.toThrow(why);
    await expect(createServer({ dialect, ...given })).rejects.toThrow(OptionError);
  });
});
