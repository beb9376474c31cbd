// What may stand in the configuration of ImagePolicyWebhook.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readImagePolicy } from './image-policy-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-image-policy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function backend(cluster: object = {}, user: object = {}): string {
  const file = join(folder, `${++files}.yaml`);
  const config = {
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1/images', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
const read = (imagePolicy: object) => readImagePolicy(Buffer.from(JSON.stringify({ imagePolicy })));

test('what is not said has a default', async () => {
  const { backend: target, ...times } = await read({ kubeConfigFile: backend() });
  expect(target.url.href).toBe('https://127.0.0.1:1/images');
  expect(times).toEqual({ allowMs: 300_000, denyMs: 30_000, firstPauseMs: 500, defaultAllow: false });
});

test('the specification names the file differently', async () => {
  const said = { clientConfigFile: backend(), allowTTL: 1, denyTTL: 1800, retryBackoff: 300_000, defaultAllow: true };
  expect(await read(said)).toMatchObject({
    allowMs: 1000,
    denyMs: 1_800_000,
    firstPauseMs: 300_000,
    defaultAllow: true,
  });
});

test('minus one is no time at all', async () => {
  const said = { kubeConfigFile: backend(), allowTTL: -1, denyTTL: -1, retryBackoff: -1 };
  expect(await read(said)).toMatchObject({ allowMs: 0, denyMs: 0, firstPauseMs: 0 });
});

test.each([
  [{ allowTTL: 1801 }, 'imagePolicy.allowTTL: valid value is between 1s and 30m0s, got 30m1s'],
  [{ allowTTL: -2 }, 'imagePolicy.allowTTL: valid value is between 1s and 30m0s, got -2s'],
  [{ denyTTL: 3600 }, 'imagePolicy.denyTTL: valid value is between 1s and 30m0s, got 1h0m0s'],
  [{ retryBackoff: 300_001 }, 'imagePolicy.retryBackoff: valid value is between 1ns and 5m0s, got 5m0.001s'],
  [{ allowTTL: 1.5 }, 'imagePolicy.allowTTL: must be a whole number'],
  [{ defaultAllow: 'yes' }, 'imagePolicy.defaultAllow: must be a boolean'],
  [{ kubeConfigFile: '' }, 'imagePolicy.kubeConfigFile: the place of the backend is needed'],
])('%j is refused', async (said, why) => {
  await expect(read({ kubeConfigFile: backend(), ...said })).rejects.toThrow(why);
});

test.each([
  [{ server: 'http://127.0.0.1:1' }, {}, 'must use https'],
  [{ 'insecure-skip-tls-verify': true }, {}, 'insecure-skip-tls-verify'],
  [{ 'tls-server-name': 'x' }, {}, 'tls-server-name'],
  [{ 'proxy-url': 'http://127.0.0.1:2' }, {}, 'proxy-url'],
  [{}, { as: 'another' }, 'as another user'],
])('a backend with %j %j is refused', async (cluster, user, why) => {
  await expect(read({ kubeConfigFile: backend(cluster, user) })).rejects.toThrow(why);
});
