import { expect, test } from 'vitest';
import { kubernetes } from '../meta/dialect.ts';
import { parseEncryptionFile } from './encryption-file.ts';

const about = 'kind: EncryptionConfiguration\napiVersion: apiserver.config.k8s.io/v1\n';
const parse = (text: string, warn: (text: string) => void = () => {}) =>
  parseEncryptionFile(Buffer.from(text), kubernetes, warn);
const entry = (resources: string, providers: string) =>
  `${about}resources: [{resources: [${resources}], providers: [${providers}]}]`;
const secret = Buffer.alloc(32, 7).toString('base64');
const good = `{aescbc: {keys: [{name: a, secret: ${secret}}]}}`;

test('resources and providers come in their order, with their keys', async () => {
  const rules = await parse(entry('secrets, widgets.example.com', `${good}, {identity: {}}`));
  expect(rules).toEqual([
    {
      resources: [
        { group: '', resource: 'secrets' },
        { group: 'example.com', resource: 'widgets' },
      ],
      providers: [{ name: 'aescbc', keys: [{ name: 'a', secret: Buffer.alloc(32, 7) }] }, { name: 'identity' }],
    },
  ]);
});

test('the kind of old is read with a warning', async () => {
  const warnings: string[] = [];
  const old = entry('secrets', good).replace(about, 'kind: EncryptionConfig\napiVersion: v1\n');
  expect(await parse(old, (text) => warnings.push(text))).toEqual(await parse(entry('secrets', good)));
  expect(warnings).toEqual([
    'EncryptionConfig in v1 is deprecated, use EncryptionConfiguration in apiserver.config.k8s.io/v1',
  ]);
});

const at = 'resources[0].providers[0]';
test.each([
  ['', 'the file is empty'],
  ['kind: Pod\napiVersion: v1\n', 'use EncryptionConfiguration in apiserver.config.k8s.io/v1'],
  [about, 'resources: Required value: at least one resources is required'],
  [entry('', good), 'resources[0].resources: Required value: at least one resources[0].resources is required'],
  [entry('secrets', ''), 'resources[0].providers: Required value: at least one resources[0].providers is required'],
  [entry('secrets', '{rot13: {}}'), 'unknown field "resources[0].providers[0].rot13"'],
  [entry('secrets', '{}'), `${at}: Invalid value: provider does not contain any of the expected providers`],
  [entry('secrets', '{identity: {}, aescbc: {}}'), `${at}: Invalid value: more than one provider specified`],
  [entry('secrets', '{aesgcm: {}}'), `${at}.aesgcm.keys: Required value: at least one keys is required`],
  [
    entry('secrets', '{aesgcm: {keys: [{name: a}]}}'),
    `keys[0].secret: Required value: secret is a mandatory field for a key`,
  ],
  [
    entry('secrets', `{aesgcm: {keys: [{secret: ${secret}}]}}`),
    'keys[0].name: Required value: name is a mandatory field for a key',
  ],
  [
    entry('secrets', '{aesgcm: {keys: [{name: a, secret: "&%"}]}}'),
    'Invalid value: "REDACTED": secrets must be base64 encoded',
  ],
  [entry('secrets', '{aescbc: {keys: [{name: a, secret: AAAA}]}}'), 'got 3, expected one of [16 24 32]'],
  [
    entry('secrets', '{secretbox: {keys: [{name: a, secret: AAAA}]}}'),
    '"REDACTED": secret is not of the expected length, got 3, expected one of [32]',
  ],
  [
    entry('Secrets', good),
    'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital letters',
  ],
  [entry('"*"', good), "use '*.' to encrypt all the resources from core API group"],
  [entry('serviceipallocations', good), 'resources which do not have REST API/s cannot be encrypted'],
  [entry('events.events.k8s.io', good), "Use 'events' instead in the config file"],
  [entry('ingresses.extensions', good), "'extensions' group has been removed"],
  [entry('"secrets.*"', good), 'encrypting the same resource across groups is not supported'],
  [entry('secrets, secrets', good), 'the same resource cannot be specified multiple times'],
  [entry('secrets, "*."', good), 'using overlapping resources such as'],
  [entry('secrets, "*.*"', good), 'using overlapping resources such as'],
  [
    `${about}resources: [{resources: ["*."], providers: [${good}]}, {resources: [secrets], providers: [${good}]}]`,
    'resource "secrets" is masked by earlier rule "*."',
  ],
  [
    `${about}resources: [{resources: ["*.*"], providers: [${good}]}, {resources: ["*.apps"], providers: [${good}]}]`,
    'resource "*.apps" is masked by earlier rule "*.*"',
  ],
])('%s', async (text, message) => {
  await expect(parse(text)).rejects.toThrow(message);
});

test('a plugin is known by its name, its socket and its time', async () => {
  const [plain, slow] = ['unix:///run/a.sock', 'unix:/run/b.sock'];
  const rules = await parse(
    entry(
      'secrets',
      `{kms: {apiVersion: v2, name: a, endpoint: "${plain}"}}, {kms: {apiVersion: v2, name: b, endpoint: "${slow}", timeout: 1m}}`,
    ),
  );
  expect(rules[0]?.providers).toEqual([
    { name: 'kms', plugin: { name: 'a', socket: '/run/a.sock', timeoutMs: 3000 } },
    { name: 'kms', plugin: { name: 'b', socket: '/run/b.sock', timeoutMs: 60_000 } },
  ]);
});

const plugin = (fields: string) => entry('secrets', `{kms: {${fields}}}`);
const endpoint = 'endpoint: "unix:///run/a.sock"';

test.each([
  [`apiVersion: v2, ${endpoint}`, `${at}.kms.name: Required value: name is a mandatory field for a provider`],
  [`apiVersion: v2, name: "a:b", ${endpoint}`, `"a:b": invalid KMS provider name a:b, must not contain ':'`],
  ['apiVersion: v2, name: a', `${at}.kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms`],
  [
    'apiVersion: v2, name: a, endpoint: "tcp://127.0.0.1"',
    'unsupported scheme "tcp" for KMS provider, only unix is supported',
  ],
  ['apiVersion: v2, name: a, endpoint: "unix:///@a"', 'sockets without a file are not supported'],
  ['apiVersion: v2, name: a, endpoint: "unix:a.sock"', 'the path of the socket has to be absolute'],
  [
    `apiVersion: v2, name: a, ${endpoint}, timeout: 0s`,
    `${at}.kms.timeout: Invalid value: "0s": timeout should be a positive value`,
  ],
  [`apiVersion: v2, name: a, ${endpoint}, timeout: soon`, '"soon": timeout is no length of time'],
  [
    `apiVersion: v2, name: a, ${endpoint}, cachesize: 5`,
    `${at}.kms.cachesize: Invalid value: 5: cachesize is not supported in v2`,
  ],
  [`apiVersion: v3, name: a, ${endpoint}`, `${at}.kms.apiVersion: Invalid value: "v3": unsupported apiVersion`],
  [`name: a, ${endpoint}`, `${at}.kms.apiVersion: Invalid value: KMSv1 is deprecated and not available here`],
])('a plugin with %s', async (fields, message) => {
  await expect(parse(plugin(fields))).rejects.toThrow(message);
});

test('names of plugins are unique in the whole file', async () => {
  const one = `{kms: {apiVersion: v2, name: a, ${endpoint}}}`;
  const text = `${about}resources: [{resources: [secrets], providers: [${one}]}, {resources: [pods], providers: [${one}]}]`;
  await expect(parse(text)).rejects.toThrow(
    'resources[1].providers[0].kms.name: Invalid value: "a": duplicate KMS provider name a, names must be unique',
  );
});

test.each([
  entry('secrets', `{aescbc: {keys: [{name: a, secret: [${secret}]}]}}`),
  entry('secrets', `{aescbc: {keys: [{name: a, secret: {b: ${secret}}}]}}`),
  entry('secrets', `{aescbc: {keys: [{name: a, secret: ${secret}}]}, identity: {}}`),
  entry('secrets', `{aescbc: {keys: ${secret}}}`),
  entry('secrets', `{aescbc: ${secret}}`),
  entry('secrets', `{aescbc: {keys: [{name: a, secret: ${secret}, secret: ${secret}}]}}`),
  entry('secrets', `{aescbc: {keys: [{name: a, secret: ${secret}`),
  `${about}  secret: ${secret}\n: ${secret}: [`,
])('errors of an encryption file never contain its keys: %#', async (text) => {
  const message = await parse(text).then(
    () => '',
    (error: Error) => String(error.message),
  );
  expect(message).not.toBe('');
  expect(message).not.toContain(secret.slice(0, 8));
});
