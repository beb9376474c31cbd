import { describe, expect, test } from 'vitest';
import type { CipherName } from './keyed-form.ts';
import type { Transformer } from './transformer.ts';
import { type EncryptionProvider, KeyedResources, Transformers } from './transformers.ts';

const secret = (fill: number, length = 32) => Buffer.alloc(length, fill);
const provider = (name: CipherName, ...keys: string[]): EncryptionProvider => ({
  name,
  keys: keys.map((key) => ({ name: key, secret: secret(key.charCodeAt(0)) })),
});
const identity: EncryptionProvider = { name: 'identity' };
const path = { path: '/registry/secrets/default/a', resource: 'secrets' };
const transformerOf = (providers: readonly EncryptionProvider[]): Transformer =>
  new Transformers([{ resources: [{ group: '', resource: 'secrets' }], providers }]).for({
    ...{ group: '', resource: 'secrets' },
  });
const plain = Buffer.from('{"kind":"Secret"}');
const ciphers: readonly CipherName[] = ['aescbc', 'aesgcm', 'secretbox'];

describe.each(ciphers)('%s', (name) => {
  const transformer = transformerOf([provider(name, 'a'), identity]);
  const stored = Buffer.from(transformer.write(plain, path));

  test('what is written names provider and key, hides the value and is read back', () => {
    expect(stored.toString('latin1').startsWith(`k8s:enc:${name}:v1:a:`)).toBe(true);
    expect(stored.includes('Secret')).toBe(false);
    const { value, isStale } = transformer.read(stored, path);
    expect([Buffer.from(value).toString(), isStale]).toEqual([plain.toString(), false]);
    expect(Buffer.from(transformer.write(plain, path)).equals(stored)).toBe(false);
  });

  test('values of later keys and providers, and plain ones, are read and are stale', () => {
    const later = transformerOf([provider(name, 'b', 'a'), identity]);
    const other = transformerOf([provider(name, 'b'), provider(name, 'a'), identity]);
    for (const one of [later, other]) {
      expect(one.read(stored, path)).toMatchObject({ isStale: true });
      expect(one.read(plain, path)).toEqual({ value: plain, isStale: true });
    }
    const leaving = transformerOf([identity, provider(name, 'a')]);
    expect(leaving.read(stored, path)).toMatchObject({ isStale: true });
    expect(leaving.read(plain, path)).toMatchObject({ isStale: false });
    expect(leaving.write(plain, path)).toBe(plain);
  });

  test('a wrong key, a cut value and an unknown key are refused in words without the key', () => {
    const wrong = transformerOf([{ name, keys: [{ name: 'a', secret: secret(1) }] }, identity]);
    const outcome = () => {
      try {
        return Buffer.from(wrong.read(stored, path).value).toString('latin1');
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(outcome()).not.toContain('Secret');
    if (name !== 'aescbc')
      expect(outcome()).toMatch(`it cannot be decrypted: key "a" of ${name}: message authentication failed`);
    expect(() => transformer.read(stored.subarray(0, -1), path)).toThrow(`key "a" of ${name}: `);
    expect(() => transformer.read(stored.subarray(0, 30), path)).toThrow(`key "a" of ${name}: `);
    expect(() => transformerOf([provider(name, 'b'), identity]).read(stored, path)).toThrow('does not have');
  });

  test('a plain value is not read where identity is not among the providers', () => {
    expect(() => transformerOf([provider(name, 'a')]).read(plain, path)).toThrow('it is not encrypted');
  });
});

test.each(['aesgcm', 'secretbox'] as const)('%s finds each change of a value', (name) => {
  const transformer = transformerOf([provider(name, 'a')]);
  const stored = Buffer.from(transformer.write(plain, path));
  for (let at = `k8s:enc:${name}:v1:a:`.length; at < stored.length; at++) {
    const changed = Buffer.from(stored);
    changed[at] = (changed[at] as number) ^ 0x80;
    expect(() => transformer.read(changed, path)).toThrow('message authentication failed');
  }
});

test('aesgcm does not read a value at another path, and takes keys of all sizes', () => {
  for (const length of [16, 24, 32]) {
    const transformer = transformerOf([{ name: 'aesgcm', keys: [{ name: 'a', secret: secret(7, length) }] }]);
    const stored = transformer.write(plain, path);
    expect(Buffer.from(transformer.read(stored, path).value).equals(plain)).toBe(true);
    expect(() => transformer.read(stored, { ...path, path: `${path.path}b` })).toThrow('message authentication failed');
  }
});

test('the entry of a resource counts before the one of its group, and that before the one of all', () => {
  const rule = (key: string, group: string, resource: string) => ({
    resources: [{ group, resource }],
    providers: [provider('secretbox', key)],
  });
  const transformers = new Transformers([rule('a', '', 'secrets'), rule('b', '', '*'), rule('c', '*', '*')]);
  const writer = (group: string, resource: string) =>
    Buffer.from(transformers.for({ group, resource }).write(plain, path)).toString('latin1').slice(21, 22);
  expect([writer('', 'secrets'), writer('', 'pods'), writer('apps', 'deployments')]).toEqual(['a', 'b', 'c']);
});

test('the resource of a key is found with and without a group in it', () => {
  const keys = new KeyedResources([
    { prefix: 'secrets', group: '', resource: 'secrets' },
    { prefix: 'services/specs', group: '', resource: 'services' },
    { prefix: 'leases', group: 'coordination.k8s.io', resource: 'leases' },
  ]);
  const name = (key: string) => Object.values(keys.of(key)).join('/');
  expect(name('/secrets/default/a')).toBe('/secrets');
  expect(name('/services/specs/default/a')).toBe('/services');
  expect(name('/leases/kube-system/a')).toBe('coordination.k8s.io/leases');
  expect(name('/example.com/widgets/default/a')).toBe('example.com/widgets');
  expect(name('/ranges/servicenodeports')).toBe('/servicenodeportallocations');
});
