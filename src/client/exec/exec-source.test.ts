import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { cluster as clusterDialect, kubernetes } from '../../meta/dialect.ts';
import { signLeaf } from '../../pki/certificates.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { TlsPeer } from '../../testing/tls-peer.ts';
import { type ConnectOptions, connect } from '../connect.ts';
import type { ExecEntry } from '../kubeconfig/kubeconfig.ts';
import { loadKubeconfig } from '../kubeconfig/load.ts';
import { targetOf } from '../kubeconfig/target.ts';
import { type ExecParts, ExecSource } from './exec-source.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-exec-'));
afterAll(() => rmSync(folder, { recursive: true }));

const runs = join(folder, 'runs');
const reply = join(folder, 'reply');
const program = join(folder, 'login');
const apiVersion = 'client.authentication.k8s.io/v1';

/** Notes what it was given, one run a line, and answers with what the test has put there. */
writeFileSync(
  program,
  `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const { KUBERNETES_EXEC_INFO: info, CLUSTER_EXEC_INFO: neutral, EXTRA: extra, HOME: home } = process.env;
appendFileSync(${JSON.stringify(runs)}, JSON.stringify({ info, neutral, extra, home, args: process.argv.slice(2) }) + '\\n');
process.stdout.write(readFileSync(${JSON.stringify(reply)}));
process.exitCode = Number(process.env.EXIT ?? 0);
`,
);
chmodSync(program, 0o755);

interface Run {
  readonly info?: string;
  readonly neutral?: string;
  readonly extra?: string;
  readonly args: string[];
}
const allRuns = () =>
  readFileSync(runs, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Run);
const answer = (status: object | undefined, version = apiVersion) =>
  writeFileSync(reply, JSON.stringify({ kind: 'ExecCredential', apiVersion: version, status }));

beforeEach(() => writeFileSync(runs, ''));

const exec: ExecEntry = {
  command: program,
  args: [],
  env: [],
  apiVersion,
  installHint: '',
  provideClusterInfo: false,
  interactiveMode: 'Never',
};
const { cluster } = targetOf(
  await loadKubeconfig({
    text: JSON.stringify({
      clusters: [
        {
          name: 'c',
          cluster: {
            server: 'https://a.test',
            'tls-server-name': 'b.test',
            extensions: [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'x' } }],
          },
        },
      ],
      contexts: [{ name: 'c', context: { cluster: 'c' } }],
      'current-context': 'c',
    }),
  }),
);

function source(entry: Partial<ExecEntry> = {}, parts: Partial<ExecParts> = {}) {
  return new ExecSource({
    exec: { ...exec, ...entry },
    cluster,
    authority: undefined,
    dialect: kubernetes,
    clock: new FakeClock(),
    environment: { PATH: process.env['PATH'] },
    mayAskUser: false,
    showsErrors: false,
    ...parts,
  });
}

describe('what a plugin is given', () => {
  test('the object in the environment, arguments and variables', async () => {
    answer({ token: 't' });
    const entry = { args: ['a', 'b c'], env: [{ name: 'EXTRA', value: 'yes' }] };
    expect(await source(entry).current()).toEqual({ authorization: 'Bearer t' });
    const [run] = allRuns();
    expect(run).toMatchObject({ args: ['a', 'b c'], extra: 'yes' });
    expect(JSON.parse(run?.info ?? '')).toEqual({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
  });

  test('the cluster, when it wants to know', async () => {
    answer({ token: 't' });
    await source({ provideClusterInfo: true }, { authority: () => 'PEM' }).current();
    const { spec } = JSON.parse(allRuns()[0]?.info ?? '') as { spec: object };
    expect(spec).toEqual({
      interactive: false,
      cluster: {
        server: 'https://a.test',
        'tls-server-name': 'b.test',
        'certificate-authority-data': Buffer.from('PEM').toString('base64'),
        config: { audience: 'x' },
      },
    });
  });

  test('what the cluster adds for it, large integers unchanged', async () => {
    answer({ token: 't' });
    const extensions = new Map([['client.authentication.k8s.io/exec', { id: 2n ** 60n }]]);
    await source({ provideClusterInfo: true }, { cluster: { ...cluster, extensions } }).current();
    expect(allRuns()[0]?.info).toContain('"config":{"id":1152921504606846976}');
  });

  test('the neutral dialect has other names', async () => {
    const version = 'client.authentication.api.test/v1beta1';
    answer({ token: 't' }, version);
    const dialect = clusterDialect({ apiDomain: 'api.test' });
    await source({ apiVersion: version, interactiveMode: '' }, { dialect }).current();
    expect(JSON.parse(allRuns()[0]?.neutral ?? '')).toMatchObject({ apiVersion: version });
    expect(() => source({}, { dialect })).toThrow(/not one of client\.authentication\.api\.test\/v1, /);
  });

  test('a bare name is looked for in PATH, never in the working folder', async () => {
    answer({ token: 't' });
    const command = basename(program);
    const environment = { PATH: `.::${folder}:${process.env['PATH']}` };
    await source({ command }, { environment }).current();
    expect(allRuns()).toHaveLength(1);
    await expect(source({ command }, { environment: { PATH: '.' } }).current()).rejects.toThrow(
      'there is no program login',
    );
  });
});

describe('interaction', () => {
  const interactive = () =>
    (JSON.parse(allRuns()[0]?.info ?? '') as { spec: { interactive: boolean } }).spec.interactive;

  test.each([
    ['Never', true, true, false],
    ['IfAvailable', false, true, false],
    ['IfAvailable', true, false, false],
    ['', false, false, false],
  ])('%s with a user %s at a terminal %s', async (interactiveMode, mayAskUser, terminal, expected) => {
    answer({ token: 't' });
    await source({ interactiveMode }, { mayAskUser, hasTerminal: () => terminal }).current();
    expect(interactive()).toBe(expected);
  });

  test('a terminal that may be used is given to the plugin', async () => {
    answer({ token: 't' });
    for (const interactiveMode of ['IfAvailable', 'Always']) {
      await source({ interactiveMode }, { mayAskUser: true, hasTerminal: () => true }).current();
      expect(interactive()).toBe(true);
    }
  });

  test('a plugin that needs one is not run without', async () => {
    for (const [mayAskUser, terminal] of [
      [true, false],
      [false, true],
    ] as const) {
      const plugin = source({ interactiveMode: 'Always' }, { mayAskUser, hasTerminal: () => terminal });
      await expect(plugin.current()).rejects.toThrow('standard input is not a terminal it may use');
    }
    expect(allRuns()).toEqual([]);
  });
});

describe('how long credentials are kept', () => {
  test('one run serves all callers that wait, and later callers', async () => {
    answer({ token: 't' });
    const plugin = source();
    await Promise.all([plugin.current(), plugin.current(), plugin.current()]);
    await plugin.current();
    expect(allRuns()).toHaveLength(1);
  });

  test('until they end', async () => {
    const clock = new FakeClock('2030-01-01T00:00:00Z');
    answer({ token: 'one', expirationTimestamp: '2030-01-01T01:00:00+00:30' });
    const plugin = source({}, { clock });
    await plugin.current();
    clock.advance(29 * 60_000);
    await plugin.current();
    expect(allRuns()).toHaveLength(1);
    answer({ token: 'two' });
    clock.advance(60_000);
    expect(await plugin.current()).toEqual({ authorization: 'Bearer two' });
    expect(allRuns()).toHaveLength(2);
  });

  test('until they are refused; one run answers all who were', async () => {
    answer({ token: 'one' });
    const plugin = source();
    const used = await plugin.current();
    answer({ token: 'two' });
    const newer = await Promise.all([plugin.renew(used), plugin.renew(used)]);
    expect(newer).toEqual([{ authorization: 'Bearer two' }, { authorization: 'Bearer two' }]);
    expect(await plugin.renew(used)).toEqual({ authorization: 'Bearer two' });
    expect(allRuns()).toHaveLength(2);
  });

  test('the same credentials again are nothing to try', async () => {
    answer({ token: 'one' });
    const plugin = source();
    expect(await plugin.renew(await plugin.current())).toBeUndefined();
  });
});

describe('plugins that do not work', () => {
  const secret = 'hush-hush';

  test.each<[string, string, RegExp]>([
    ['no JSON', `${secret} {`, /is not JSON/],
    ['another kind', JSON.stringify({ kind: 'Secret', apiVersion, data: secret }), /no ExecCredential/],
    [
      'another version',
      JSON.stringify({ kind: 'ExecCredential', apiVersion: 'x/v2', status: { token: secret } }),
      /is asked for .*\/v1 and answered in "x\/v2"/,
    ],
    ['no status', JSON.stringify({ kind: 'ExecCredential', apiVersion }), /without a status/],
    ['nothing', JSON.stringify({ kind: 'ExecCredential', apiVersion, status: {} }), /neither a token nor/],
    [
      'half a pair',
      JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { clientKeyData: secret } }),
      /only one of/,
    ],
    [
      'no certificate',
      JSON.stringify({
        kind: 'ExecCredential',
        apiVersion,
        status: { clientKeyData: secret, clientCertificateData: secret },
      }),
      /cannot be read/,
    ],
    [
      'no time',
      JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token: secret, expirationTimestamp: 'soon' } }),
      /no RFC 3339 time/,
    ],
    ['far too much', secret.repeat(200_000), /wrote more than 1048576 bytes/],
  ])('answering with %s are named without what they wrote', async (_what, text, message) => {
    writeFileSync(reply, text);
    const failure = await source()
      .current()
      .then(
        () => undefined,
        (error: Error) => error,
      );
    expect(failure?.message).toMatch(message);
    expect(failure?.message).not.toContain(secret);
  });

  test('failing, missing, or not a program', async () => {
    answer({ token: 't' });
    await expect(source({ env: [{ name: 'EXIT', value: '3' }] }).current()).rejects.toThrow(
      /login ended with exit code 3/,
    );
    const absent = source({ command: join(folder, 'absent'), installHint: 'Install it with: get login.' });
    await expect(absent.current()).rejects.toThrow(/there is no program .*absent\n\nInstall it with: get login\./);
    await expect(source({ command: reply }).current()).rejects.toThrow(/there is no program/);
  });

  test('are asked again by the next caller', async () => {
    writeFileSync(reply, '');
    const plugin = source();
    await expect(plugin.current()).rejects.toThrow();
    answer({ token: 't' });
    expect(await plugin.current()).toEqual({ authorization: 'Bearer t' });
  });
});

describe('with a server', () => {
  const open = async (peer: TlsPeer, user: object = {}, options: ConnectOptions = {}) => {
    const plugin = { apiVersion, command: program, interactiveMode: 'Never' };
    return connect(await loadKubeconfig({ text: peer.kubeconfig({ user: { exec: plugin, ...user } }) }), options);
  };
  const get = { method: 'GET', path: '/x' } as const;

  test('a refused token is replaced once', async () => {
    await using peer = await TlsPeer.open(({ headers }, response) => {
      answer({ token: 'two' });
      response.writeHead(headers.authorization === 'Bearer two' ? 200 : 401).end('{}');
    });
    answer({ token: 'one' });
    using cluster = await open(peer);
    expect((await cluster.transport.send(get)).status).toBe(200);
    expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
  });

  test('who is refused anyway gets the 401', async () => {
    await using peer = await TlsPeer.open((_request, response) => void response.writeHead(401).end('{}'));
    answer({ token: 'one' });
    using cluster = await open(peer);
    expect((await cluster.transport.send(get)).status).toBe(401);
    expect([peer.requests.length, allRuns().length]).toEqual([1, 2]);
  });

  test('a new certificate makes a new connection', async () => {
    await using peer = await TlsPeer.open(({ commonName }, response) => {
      response.writeHead(commonName === 'bob' ? 200 : 401).end('{}');
      issue('bob');
    });
    const issue = (commonName: string) => {
      const pair = signLeaf(peer.authority, { usage: 'client', commonName, organizations: [] }, Date.now());
      answer({ clientCertificateData: pair.certificate, clientKeyData: pair.privateKey });
    };
    issue('ann');
    using cluster = await open(peer);
    expect((await cluster.transport.send(get)).status).toBe(200);
    expect(peer.requests.map(({ commonName }) => commonName)).toEqual(['ann', 'bob']);
    expect(new Set(peer.requests.map(({ port }) => port)).size).toBe(2);
  });

  test('a token in the kubeconfig makes the plugin unnecessary', async () => {
    await using peer = await TlsPeer.open(() => ({}));
    using cluster = await open(peer, { token: 'mine' });
    await cluster.transport.send(get);
    expect(peer.requests[0]?.headers.authorization).toBe('Bearer mine');
    expect(allRuns()).toEqual([]);
  });
});
