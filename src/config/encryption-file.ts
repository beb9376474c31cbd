// The EncryptionConfiguration file: which resources are encrypted, and with which keys. Its errors are reported
// without the keys.

import { decodeConfigurationFile, type WarnOfFile } from '../codec/configuration-file.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { invalidAt, invalidValue, required } from '../meta/field-errors.ts';
import type { FieldError } from '../meta/status.ts';
import { field, type Infer, listOf, string, struct } from '../schema/types.ts';
import type { CipherName, EncryptionKey } from '../storage/encryption/keyed-form.ts';
import type { EncryptionProvider, EncryptionRule, GroupResource } from '../storage/encryption/transformers.ts';
import { checkResources, parseGroupResource, refuseMasked } from './encrypted-resources.ts';
import { checkKms, kmsType, pluginOf } from './kms-provider.ts';

const home = 'config';

const keysType = struct(home, 'EncryptionKeys', 'Keys of a provider.', {
  keys: field(
    1,
    listOf(
      struct(home, 'EncryptionKey', 'A key.', {
        name: field(1, string, { about: 'Stands before each value that the key has encrypted.' }),
        secret: field(2, string, { about: 'The key itself, in base64.' }),
      }),
    ),
    { about: 'The first one writes, all of them read.' },
  ),
});

const identityType = struct(home, 'EncryptionIdentity', 'Values are stored as they are.', {});

const providerType = struct(home, 'EncryptionProvider', 'One of its fields is given.', {
  aesgcm: field(1, keysType, { about: 'AES in Galois/Counter Mode.', pointer: true }),
  aescbc: field(2, keysType, { about: 'AES with cipher block chaining.', pointer: true }),
  secretbox: field(3, keysType, { about: 'XSalsa20 and Poly1305.', pointer: true }),
  identity: field(4, identityType, { about: 'No encryption.', pointer: true }),
  kms: field(5, kmsType, { about: 'Keys of a plugin.', pointer: true }),
});

const configurationType = struct(home, 'EncryptionConfiguration', 'How values are stored.', {
  resources: field(
    1,
    listOf(
      struct(home, 'EncryptedResources', 'Resources that are stored in one way.', {
        resources: field(1, listOf(string), { about: 'Plural names, with a dot and the group.' }),
        providers: field(2, listOf(providerType), { about: 'The first one writes, all of them read.' }),
      }),
    ),
    { about: 'Each for some resources.' },
  ),
});

type Configuration = Infer<typeof configurationType>;
type Entry = NonNullable<Configuration['resources']>[number];
type Provider = NonNullable<Entry['providers']>[number];
type Key = NonNullable<NonNullable<Provider['aescbc']>['keys']>[number];

const aesBytes = [16, 24, 32];
const keyBytes: Readonly<Record<CipherName, readonly number[]>> = {
  aesgcm: aesBytes,
  aescbc: aesBytes,
  secretbox: [32],
};
const cipherNames = Object.keys(keyBytes) as readonly CipherName[];
const providerNames = ['kms', ...cipherNames, 'identity'] as const;

/** Throws an error in words for a file that cannot be used. */
export async function parseEncryptionFile(
  bytes: Uint8Array,
  dialect: Dialect,
  warn: WarnOfFile,
): Promise<readonly EncryptionRule[]> {
  const expected = {
    group: apiGroup(dialect, 'apiserver.config'),
    versions: ['v1'],
    kind: 'EncryptionConfiguration',
    type: configurationType,
    olderNames: [{ apiVersion: 'v1', kind: 'EncryptionConfig' }],
  };
  const { resources = [] } = (await decodeConfigurationFile(bytes, expected, warn)) as Configuration;
  const plugins = new Set<string>();
  const errors =
    resources.length === 0
      ? [required('resources', atLeastOne('resources'))]
      : resources.flatMap((entry, i) => checkEntry(entry, `resources[${i}]`, { dialect, plugins }));
  if (errors.length > 0) throw new Error(inWords(errors));
  const rules = resources.map(ruleOf);
  refuseMasked(rules);
  return rules;
}

const atLeastOne = (what: string) => `at least one ${what} is required`;

function inWords(errors: readonly FieldError[]): string {
  const all = errors.map((error) => `${error.field}: ${error.message}`);
  return all.length === 1 ? (all[0] as string) : `[${all.join(', ')}]`;
}

interface Checks {
  readonly dialect: Dialect;
  /** Names of the plugins so far. */
  readonly plugins: Set<string>;
}

function checkEntry({ resources = [], providers = [] }: Entry, at: string, checks: Checks): readonly FieldError[] {
  const where = `${at}.resources`;
  const how = `${at}.providers`;
  return [
    ...(resources.length === 0 ? [required(where, atLeastOne(where))] : []),
    ...checkResources(resources, where, checks.dialect),
    ...(providers.length === 0 ? [required(how, atLeastOne(how))] : []),
    ...providers.flatMap((provider, i) => checkProvider(provider, `${how}[${i}]`, checks.plugins)),
  ];
}

/** The value is not shown: it has keys in it. */
function checkProvider(provider: Provider, at: string, plugins: Set<string>): readonly FieldError[] {
  const givenProviders = providerNames.filter((name) => provider[name] !== undefined);
  if (givenProviders.length === 0) return [invalidAt(at, noProvider)];
  if (givenProviders.length > 1) return [invalidAt(at, severalProviders)];
  if (provider.kms !== undefined) return checkKms(provider.kms, `${at}.kms`, plugins);
  return cipherNames.flatMap((name) => {
    const { keys = [] } = provider[name] ?? {};
    const where = `${at}.${name}.keys`;
    if (provider[name] === undefined) return [];
    if (keys.length === 0) return [required(where, atLeastOne('keys'))];
    return keys.flatMap((key, i) => checkKey(key, `${where}[${i}]`, keyBytes[name]));
  });
}

const noProvider = 'provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity';
const severalProviders =
  'more than one provider specified in a single element, should split into different list elements';

function checkKey({ name = '', secret = '' }: Key, at: string, sizes: readonly number[]): readonly FieldError[] {
  const unnamed = name === '' ? [required(`${at}.name`, 'name is a mandatory field for a key')] : [];
  if (secret === '') return [...unnamed, required(`${at}.secret`, 'secret is a mandatory field for a key')];
  const problem = problemOf(secret, sizes);
  return problem === undefined ? unnamed : [...unnamed, invalidValue(`${at}.secret`, 'REDACTED', problem)];
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function problemOf(secret: string, sizes: readonly number[]): string | undefined {
  const encoded = secret.replace(/[\r\n]/g, '');
  if (!base64.test(encoded)) return 'secrets must be base64 encoded';
  const { length } = Buffer.from(encoded, 'base64');
  if (sizes.includes(length)) return undefined;
  return `secret is not of the expected length, got ${length}, expected one of [${sizes.join(' ')}]`;
}

function ruleOf({ resources = [], providers = [] }: Entry): EncryptionRule {
  return {
    resources: resources.map((name): GroupResource => parseGroupResource(name)),
    providers: providers.map(providerOf),
  };
}

function providerOf(provider: Provider): EncryptionProvider {
  if (provider.kms !== undefined) return { name: 'kms', plugin: pluginOf(provider.kms) };
  const name = cipherNames.find((one) => provider[one] !== undefined);
  if (name === undefined) return { name: 'identity' };
  return { name, keys: (provider[name]?.keys ?? []).map(keyOf) };
}

function keyOf({ name = '', secret = '' }: Key): EncryptionKey {
  return { name, secret: Buffer.from(secret, 'base64') };
}
