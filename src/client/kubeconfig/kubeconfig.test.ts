import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { emptyKubeconfig, type Kubeconfig, mergeKubeconfigs } from './kubeconfig.ts';
import { loadKubeconfig } from './load.ts';
import { parseKubeconfig } from './parse.ts';
import { targetOf } from './target.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const entry = fc.record({
  cluster: fc.constantFrom('a', 'b', 'c'),
  user: fc.constantFrom('x', 'y'),
  namespace: fc.string(),
});
const anyConfig: fc.Arbitrary<Kubeconfig> = fc.record({
  currentContext: fc.constantFrom('', 'one', 'two'),
  clusters: fc.constant(new Map()),
  users: fc.constant(new Map()),
  contexts: fc
    .array(fc.tuple(fc.constantFrom('one', 'two', 'three', '__proto__'), entry))
    .map((entries) => new Map(entries)),
});
const plain = ({ currentContext, contexts }: Kubeconfig) => ({
  currentContext,
  contexts: [...contexts.keys()].sort().map((name) => [name, contexts.get(name)]),
});

describe('merging kubeconfigs', () => {
  test('is associative, has a neutral element and changes nothing when done twice', () => {
    fc.assert(
      fc.property(anyConfig, anyConfig, anyConfig, (a, b, c) => {
        const all = plain(mergeKubeconfigs([a, b, c]));
        expect(plain(mergeKubeconfigs([mergeKubeconfigs([a, b]), c]))).toEqual(all);
        expect(plain(mergeKubeconfigs([a, mergeKubeconfigs([b, c])]))).toEqual(all);
        expect(plain(mergeKubeconfigs([emptyKubeconfig, a, emptyKubeconfig]))).toEqual(plain(a));
        expect(plain(mergeKubeconfigs([a, a]))).toEqual(plain(a));
      }),
    );
  });

  test('the first file that defines an entry wins', () => {
    fc.assert(
      fc.property(fc.array(anyConfig, { maxLength: 4 }), (configs) => {
        const { contexts, currentContext } = mergeKubeconfigs(configs);
        for (const [name, found] of contexts)
          expect(found).toBe(configs.find((one) => one.contexts.has(name))?.contexts.get(name));
        for (const one of configs) for (const name of one.contexts.keys()) expect(contexts.has(name)).toBe(true);
        expect(currentContext).toBe(configs.map((one) => one.currentContext).find((name) => name !== '') ?? '');
      }),
    );
  });
});

describe('loading', () => {
  const first = write('first', 'current-context: b\nusers:\n- name: u\n  user: {token: one, tokenFile: t}\n');
  const second = write(
    'second',
    `current-context: a
users:
- {name: u, user: {token: two}}
- name: v
  user:
    client-certificate: certs/c.pem
    client-key: /abs/k.pem
    exec: {apiVersion: x/v1, command: ./login, interactiveMode: Never}
- {name: w, user: {exec: {command: login, env: [{name: A, value: b}], args: [x]}}}
clusters:
- name: c
  cluster: {server: https://a.test, certificate-authority: ca.pem}
`,
  );

  test('takes the files of KUBECONFIG, passes over missing ones, and resolves paths against each file', async () => {
    const KUBECONFIG = [join(folder, 'missing'), first, second, first].join(delimiter);
    const config = await loadKubeconfig({ environment: { KUBECONFIG } });
    expect(config.currentContext).toBe('b');
    expect(config.users.get('u')).toMatchObject({ token: 'one', tokenFile: join(folder, 't') });
    expect(config.users.get('v')).toMatchObject({
      clientCertificate: join(folder, 'certs/c.pem'),
      clientKey: '/abs/k.pem',
      exec: { command: join(folder, 'login') },
    });
    expect(config.users.get('w')?.exec).toMatchObject({
      command: 'login',
      env: [{ name: 'A', value: 'b' }],
      args: ['x'],
    });
    expect(config.clusters.get('c')?.certificateAuthority).toBe(join(folder, 'ca.pem'));
  });

  test('looks in the home folder, and finds nothing where there is nothing', async () => {
    expect(await loadKubeconfig({ environment: { HOME: folder } })).toEqual(emptyKubeconfig);
  });

  test.each([
    ['a file that is not there', { file: join(folder, 'nope') }, /nope: ENOENT/],
    ['a wrong type', { text: 'users: [{name: a, user: {token: 5}}]' }, /users\[0\]\.user\.token: must be a string/],
    ['two of a name', { text: 'users: [{name: a}, {name: a}]' }, /users\[1\]: there are two of the name "a"/],
    ['another kind', { text: 'kind: Pod\napiVersion: v1' }, /a Config of v1 is needed, not Pod of v1/],
    ['no YAML', { text: 'a: [' }, /the kubeconfig: error converting YAML/],
  ])('refuses %s', async (_what, source, message) => {
    await expect(loadKubeconfig(source)).rejects.toThrow(message);
  });
});

describe('choosing a context', () => {
  const config = (cluster: object, user: object = {}): Kubeconfig =>
    parseKubeconfig(
      {
        clusters: [{ name: 'c', cluster: { server: 'https://a.test', ...cluster } }],
        users: [{ name: 'u', user: { ...user } }],
        contexts: [
          { name: 'x', context: { cluster: 'c', user: 'u', namespace: 'n' } },
          { name: 'y', context: { cluster: 'z' } },
        ],
        'current-context': 'x',
      },
      '/',
    );

  test('returns the current context, or the requested one', () => {
    expect(targetOf(config({}))).toMatchObject({ namespace: 'n', url: new URL('https://a.test/') });
    expect(() => targetOf(config({}), 'y')).toThrow('there is no cluster "z", which context "y" names');
    expect(() => targetOf(config({}), 'q')).toThrow('there is no context "q"');
    expect(() => targetOf(emptyKubeconfig)).toThrow('current-context is not set');
  });

  test('an address without a scheme is secure where there is something to secure it with', () => {
    expect(targetOf(config({ server: 'a.test:1' })).url.href).toBe('http://a.test:1/');
    expect(targetOf(config({ server: 'a.test:1', 'certificate-authority-data': 'YQ==' })).url.href).toBe(
      'https://a.test:1/',
    );
  });

  const exec = { command: 'a', apiVersion: 'g/v1', interactiveMode: 'Never' };
  test.each<[object, object, string]>([
    [{ server: '' }, {}, 'cluster "c": has no server'],
    [{ server: 'ftp://a' }, {}, 'server is not an http or https address'],
    [{ server: 'https://me:secret@a' }, {}, 'credentials do not belong into server'],
    [{ 'certificate-authority': 'a', 'certificate-authority-data': 'YQ==' }, {}, 'has both certificate-authority'],
    [{ 'certificate-authority': 'a', 'insecure-skip-tls-verify': true }, {}, 'contradicts its authority'],
    [{ 'proxy-url': 'gopher://a' }, {}, 'proxy-url is not an address'],
    [{}, { 'client-certificate': 'a' }, 'client-certificate and client-key need each other'],
    [{}, { 'client-key': 'a', 'client-key-data': 'YQ==', 'client-certificate': 'a' }, 'has its client key twice'],
    [{}, { token: 'a', username: 'b' }, 'has both a token and a user name'],
    [{}, { 'auth-provider': { name: 'gcp' } }, 'auth-provider is no longer supported, but for oidc'],
    [{}, { 'as-groups': ['a'] }, 'as-uid, as-groups and as-user-extra need as'],
    [{}, { exec: { ...exec, command: '' } }, 'exec: command is needed'],
    [{}, { exec: { ...exec, apiVersion: '' } }, 'exec: apiVersion is needed'],
    [{}, { exec: { ...exec, interactiveMode: '' } }, 'exec: interactiveMode is needed'],
    [{}, { exec: { ...exec, interactiveMode: 'Perhaps' } }, 'interactiveMode is "Perhaps"'],
    [{}, { exec: { ...exec, env: [{ value: 'a' }] } }, 'every variable of env needs a name'],
  ])('refuses %j %j', (cluster, user, message) => {
    expect(() => targetOf(config(cluster, user))).toThrow(message);
  });

  test('v1beta1 plugins need not say how interactive they are', () => {
    const beta = { ...exec, apiVersion: 'g/v1beta1', interactiveMode: '' };
    expect(targetOf(config({}, { exec: beta })).user.exec?.command).toBe('a');
  });
});
