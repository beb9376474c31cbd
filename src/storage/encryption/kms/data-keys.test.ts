import { expect, test } from 'vitest';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { aesGcm } from '../ciphers.ts';
import { DataKeys } from './data-keys.ts';
import { MemoryPlugin, refused, silent, unavailable } from './memory-plugin.ts';

const minute = 60_000;

async function started(plugin = new MemoryPlugin()) {
  const clock = new FakeClock();
  const problems: (string | undefined)[] = [];
  const keys = new DataKeys({
    ...{ name: 'plug', plugin, clock, observer: silent },
    onHealth: (problem) => problems.push(problem),
  });
  await keys.start();
  const pass = async (ms: number) => {
    clock.advance(ms);
    // the check that is due then
    await new Promise((resolve) => setImmediate(resolve));
    await keys.check();
  };
  return { plugin, clock, keys, told: problems, pass };
}

test('the key of the plugin is used from the start, and lives as long as the plugin names it', async () => {
  const { plugin, keys, clock, told, pass } = await started();
  const { keyId, cipher, expires } = keys.writeKey();
  expect([keyId, expires - clock.now()]).toEqual(['first', 3 * minute]);
  await pass(minute);
  expect(keys.writeKey().cipher).toBe(cipher);
  expect(keys.writeKey().expires - clock.now()).toBe(3 * minute);
  plugin.said = { ...plugin.said, keyId: 'second' };
  await pass(minute);
  expect(keys.writeKey().keyId).toBe('second');
  expect(keys.writeKey().cipher).not.toBe(cipher);
  expect(told).toEqual([]);
});

test('a dead plugin stops writes after three minutes, not earlier', async () => {
  const { plugin, keys, clock, told, pass } = await started();
  plugin.failure = unavailable;
  await pass(minute);
  expect(told).toEqual([
    expect.stringContaining('KMS Provider plug, error: rpc error: code = Unavailable desc = the socket is closed'),
  ]);
  for (let at = 0; at < 12; at++) await pass(10_000);
  expect(keys.writeKey().keyId).toBe('first');
  clock.advance(1);
  expect(() => keys.writeKey()).toThrow(/^encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at 20/);
  plugin.failure = undefined;
  await pass(10_000);
  expect(keys.writeKey().keyId).toBe('first');
  expect(told).toHaveLength(2);
  expect(told[1]).toBeUndefined();
});

test('a server starts without its plugin and has no key until it comes', async () => {
  const plugin = new MemoryPlugin();
  plugin.failure = unavailable;
  const { keys, pass } = await started(plugin);
  expect(() => keys.writeKey()).toThrow('the plugin "plug" has not named its key yet');
  plugin.failure = undefined;
  await pass(10_000);
  expect(keys.writeKey().keyId).toBe('first');
});

test.each([
  [{ healthz: 'tired' }, 'kmsv2 Provider plug is not healthy, error: got unexpected healthz status: tired'],
  [{ version: 'v1' }, 'expected KMSv2 API version v2, got v1'],
  [{ version: 'v2beta1' }, 'should not change after the initial status response version v2, got v2beta1'],
  [{ keyId: '' }, 'got invalid KMSv2 KeyID hash "": keyID is empty'],
  [{ keyId: 'é'.repeat(513) }, 'keyID is 1026 bytes, which exceeds the max size of 1024'],
])('a plugin with status %j is not healthy, and its last key stays in use', async (said, problem) => {
  const { plugin, keys, pass } = await started();
  plugin.said = { ...plugin.said, ...said };
  await pass(minute);
  expect(await keys.check()).toContain(problem);
  expect(keys.writeKey().keyId).toBe('first');
});

test('a key that Encrypt does not use is not taken over', async () => {
  const { plugin, keys, pass } = await started();
  plugin.said = { ...plugin.said, keyId: 'second' };
  plugin.encryptsWith = 'third';
  await pass(minute);
  expect(await keys.check()).toMatch(
    /failed to rotate the seed for keyID hash "sha256:\w+": it was encrypted with keyID/,
  );
  expect(keys.writeKey().keyId).toBe('first');
});

test('one secret is decrypted once, however many ask for it', async () => {
  const { plugin, keys } = await started();
  const other = (await started()).keys.writeKey();
  const [one, two] = [keys.secrets.fetch(other), keys.secrets.fetch(other)];
  await one;
  await two;
  expect(plugin.decrypts).toBe(1);
  expect(keys.secrets.fetch(other)).toBeUndefined();
  const sealed = other.cipher.seal(Buffer.from('text'), '/a');
  expect(keys.secrets.cipherOf(other).open(sealed, '/a').toString()).toBe('text');
  expect(() => keys.secrets.cipherOf(other).open(sealed, '/b')).toThrow('message authentication failed');
});

test('a refusal is about the value, any other failure about the plugin', async () => {
  const { plugin, keys, pass } = await started();
  const other = (await started()).keys.writeKey();
  plugin.failure = unavailable;
  await expect(keys.secrets.fetch(other)).rejects.toThrow(
    'failed to decrypt DEK, error: rpc error: code = Unavailable desc = the socket is closed',
  );
  plugin.failure = refused;
  await keys.secrets.fetch(other);
  expect(() => keys.secrets.cipherOf(other)).toThrow(
    'failed to decrypt DEK, error: rpc error: code = InvalidArgument desc = no such key',
  );
  expect(keys.secrets.fetch(other)).toBeUndefined();
  // the plugin was down, and is asked again once it is back
  await pass(minute);
  plugin.failure = undefined;
  await pass(10_000);
  await keys.secrets.fetch(other);
  expect(keys.secrets.cipherOf(other)).toBeDefined();
});

test('values of servers that had one key for all of them are read', async () => {
  const { keys } = await started();
  const key = Buffer.alloc(32, 7);
  const source = {
    ...{ ciphertext: Buffer.from(key).reverse(), keyId: 'first', annotations: new Map() },
    sourceType: 'key' as const,
  };
  await keys.secrets.fetch(source);
  const sealed = aesGcm(key).seal(Buffer.from('old'), '/a');
  expect(keys.secrets.cipherOf(source).open(sealed, '/a').toString()).toBe('old');
});
