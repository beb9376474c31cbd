// A client does not choose its CA, and does not outlive its certificate. Spec: "Authentication", "Authenticating proxy flags".

import { writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import {
  attributes,
  type Forged,
  forge,
  isAuthority,
  nameOf,
  newHolder,
  personOf,
  signsCertificates,
  textOf,
} from '../../src/testing/forged-certificates.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { expectProcessorTime } from '../../src/testing/processor-time.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { eventually } from './eventually.ts';
import { secureCall, whoIs } from './secure-call.ts';

const users = createAuthority('users', Date.now());
const proxies = createAuthority('proxies', Date.now());
const asRoot = { 'x-remote-user': 'evil', 'x-remote-group': 'system:masters' };
const proxyFlags = { requestheaderUsernameHeaders: ['X-Remote-User'], requestheaderGroupHeaders: ['X-Remote-Group'] };

let folder: TempFolder;
beforeAll(() => {
  folder = new TempFolder();
});
afterAll(() => folder[Symbol.dispose]());

function file(name: string, text: string): string {
  writeFileSync(join(folder.path, name), text);
  return join(folder.path, name);
}

const client = (authority: KeyPair, commonName: string, ...organizations: string[]) =>
  signLeaf(authority, { usage: 'client', commonName, organizations }, Date.now());

const sending = (pair: KeyPair, ...others: KeyPair[]): KeyPair => ({
  certificate: [pair, ...others].map(({ certificate }) => certificate).join(''),
  privateKey: pair.privateKey,
});

const secrets = '/api/v1/namespaces/kube-system/secrets';

describe('certificates that are sent along', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startTestServer({
      clientCaFile: file('users.crt', users.certificate),
      requestheaderClientCaFile: file('proxies.crt', proxies.certificate),
      ...proxyFlags,
    });
  });
  afterAll(() => server.close());

  const unrelated = createAuthority('unrelated', Date.now());
  const orders: [string, KeyPair[]][] = [
    ['the CA of proxies', [proxies]],
    ['both CAs', [users, proxies]],
    ['both CAs the other way round', [proxies, users]],
    ['many of them', [unrelated, proxies, unrelated, users, proxies]],
  ];

  test.each(orders)('make no proxy of a user: %s', async (_, along) => {
    const pair = sending(client(users, 'front'), ...along);
    const { status } = await secureCall(server, 'GET', secrets, { pair, headers: asRoot });
    expect(status).toBe(403);
    expect(await whoIs(server, { pair, headers: asRoot })).toMatchObject({ username: 'front' });
  });

  test.each([['the CA of users', [users]] as const, ...orders])('make no user of a proxy: %s', async (_, along) => {
    const pair = sending(client(proxies, 'front', 'system:masters'), ...along);
    expect((await secureCall(server, 'GET', secrets, { pair })).status).toBe(401);
    expect(await whoIs(server, { pair, headers: asRoot })).toMatchObject({ username: 'evil' });
  });

  test('make neither of a stranger', async () => {
    const pair = sending(client(unrelated, 'front', 'system:masters'), unrelated, users, proxies);
    expect(await whoIs(server, { pair })).toBe('401 Unauthorized');
    expect(await whoIs(server, { pair, headers: asRoot })).toBe('401 Unauthorized');
  });

  test('that are many cost little', async () => {
    const many = Array.from({ length: 150 }, () => users);
    const pair = sending(client(users, 'ann'), ...many);
    await expectProcessorTime(1000, async () => {
      expect(await whoIs(server, { pair })).toMatchObject({ username: 'ann' });
    });
  });
});

describe('a path', () => {
  let server: Server;
  const root = newHolder('forged root');
  const middle = newHolder('forged middle');
  const authority = [isAuthority(), signsCertificates];
  beforeAll(async () => {
    const { certificate } = forge(root, root, { extensions: authority });
    server = await startTestServer({ clientCaFile: file('forged.crt', certificate) });
  });
  afterAll(() => server.close());
  const issuer = forge(middle, root, { extensions: authority });
  const leaf = forge(newHolder(personOf('ann', 'devs')), middle);

  test('goes over intermediates, in whichever order they are sent', async () => {
    const unrelated = createAuthority('unrelated', Date.now());
    for (const along of [[issuer], [unrelated, issuer], [issuer, unrelated], [users, proxies, issuer]])
      expect(await whoIs(server, { pair: sending(leaf, ...along) })).toMatchObject({ username: 'ann' });
    expect(await whoIs(server, { pair: sending(leaf, unrelated) })).toBe('401 Unauthorized');
  });

  test.each<[string, Forged]>([
    ['has ended', forge(middle, root, { extensions: authority, until: Date.now() - 1000 })],
    ['is no CA', forge(middle, root)],
    ['signed itself', forge(middle, middle, { extensions: authority })],
  ])('does not go over an intermediate that %s', async (_, other) => {
    expect(await whoIs(server, { pair: sending(leaf, other) })).toBe('401 Unauthorized');
  });

  const { commonName: cn, organization: o, uid } = attributes;
  const printable = (text: string) => textOf(0x13, Buffer.from(text));
  test.each([
    ['two common names', nameOf([[cn, 'first']], [[cn, 'last']]), { username: 'last' }],
    [
      'several attributes in one part',
      nameOf(
        [
          [cn, 'ann'],
          [o, 'a'],
        ],
        [[o, 'b']],
      ),
      { username: 'ann', groups: ['a', 'b', 'system:authenticated'] },
    ],
    ['a zero byte', nameOf([[cn, 'admin\0.example.com']]), { username: 'admin\0.example.com' }],
    ['printable text', nameOf([[cn, printable('ann')]]), { username: 'ann' }],
    ['text in Latin-1', nameOf([[cn, textOf(0x14, Buffer.from('zo\xeb', 'latin1'))]]), { username: 'zoë' }],
    [
      'text of two bytes a character',
      nameOf([[cn, textOf(0x1e, Buffer.from('zoë', 'utf16le').swap16())]]),
      { username: 'zoë' },
    ],
    ['a uid', nameOf([[cn, 'ann']], [[uid, 'u-1']]), { username: 'ann', uid: 'u-1' }],
    [
      'two uids',
      nameOf(
        [[cn, 'ann']],
        [
          [uid, 'u-1'],
          [uid, 'u-2'],
        ],
      ),
      '401 Unauthorized',
    ],
    ['text with characters its type lacks', nameOf([[cn, printable('a@b')]]), '401 Unauthorized'],
  ])('begins at a subject with %s as Kubernetes reads it', async (_, name, expected) => {
    const found = await whoIs(server, { pair: forge(newHolder(name), root) });
    if (typeof expected === 'string') expect(found).toBe(expected);
    else expect(found).toMatchObject(expected);
  });
});

/** Asks over one connection that stays open. */
class OpenConnection {
  readonly #session: ClientHttp2Session;

  constructor(server: Server, { certificate: cert, privateKey: key }: KeyPair) {
    this.#session = connect(server.url, {
      ca: credentialsOf(server.kubeconfig).ca,
      cert,
      key,
      checkServerIdentity: () => undefined,
    });
  }

  status(path = '/api/v1/namespaces'): Promise<number> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({ ':path': path });
      stream.on('response', (headers) => resolve(headers[':status'] ?? 0));
      stream.on('error', reject);
      stream.resume();
    });
  }

  close(): void {
    this.#session.destroy();
  }
}

describe('the end of a certificate', () => {
  const minute = 60_000;
  const root = newHolder('short root');
  const middle = newHolder('short middle');
  const authority = [isAuthority(), signsCertificates];
  const person = newHolder(personOf('ann', 'system:masters'));
  const until = Date.now() + minute;
  const from = Date.now() - minute;

  async function tried(leaf: KeyPair, ...along: KeyPair[]): Promise<number[]> {
    const clock = new FakeClock(Date.now());
    const { certificate } = forge(root, root, { extensions: authority });
    await using server = await startTestServer({ clientCaFile: file('short.crt', certificate), clock });
    const connection = new OpenConnection(server, sending(leaf, ...along));
    try {
      const before = await connection.status();
      // past the end of the certificate, but not so long that the connection counts as idle
      clock.advance(1.3 * minute);
      return [before, await connection.status()];
    } finally {
      connection.close();
    }
  }

  test('ends what it is good for on an open connection', async () => {
    expect(await tried(forge(person, root, { from, until }))).toEqual([200, 401]);
    expect(await tried(forge(person, root, { from }))).toEqual([200, 200]);
  });

  test('is that of the whole path', async () => {
    const leaf = forge(person, middle);
    expect(await tried(leaf, forge(middle, root, { extensions: authority, from, until }))).toEqual([200, 401]);
  });

  test('is the beginning of none before its time', async () => {
    expect(await tried(forge(person, root, { from: Date.now() + minute, until: Date.now() + 9 * minute }))).toEqual([
      401, 200,
    ]);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('is not put off by resuming a session of %s', async (version) => {
    await using server = await startTestServer({ clientCaFile: file('users.crt', users.certificate) });
    const { certificate: cert, privateKey: key } = client(users, 'ann');
    const tls = { cert, key, ca: credentialsOf(server.kubeconfig).ca, maxVersion: version, minVersion: version };
    const port = Number(new URL(server.url).port);
    const open = (session?: Buffer) =>
      new Promise<{ reused: boolean; session: Buffer | undefined }>((resolve, reject) => {
        const socket: TLSSocket = connectTls({ port, host: '127.0.0.1', ...tls, ...(session ? { session } : {}) });
        let found: Buffer | undefined;
        let reused = false;
        socket.on('session', (given) => {
          found = given;
        });
        socket.on('error', reject);
        socket.on('secureConnect', () => {
          reused = socket.isSessionReused();
          socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
        });
        socket.on('close', () => resolve({ reused, session: found }));
        socket.resume();
      });
    const { session } = await open();
    expect(await open(session)).toMatchObject({ reused: false });
  });
});

test('a CA that is taken from the file is believed no longer, on open connections too', async () => {
  const path = file('changing.crt', users.certificate + proxies.certificate);
  const clock = new FakeClock(Date.now());
  await using server = await startTestServer({ clientCaFile: path, clock });
  const api = apiOf(server);
  await api.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'devs' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
  });
  const pods = '/api/v1/namespaces/default/pods';
  const [gone, kept] = [users, proxies].map((ca) => new OpenConnection(server, client(ca, 'ann', 'devs')));
  try {
    expect([await gone?.status(pods), await kept?.status(pods)]).toEqual([200, 200]);
    file('changing.crt', proxies.certificate);
    clock.advance(10_000);
    await eventually(async () => expect(await gone?.status(pods)).toBe(401));
    expect(await kept?.status(pods)).toBe(200);
  } finally {
    gone?.close();
    kept?.close();
  }
});
