import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServerKeys } from './signing-key.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'keelson-keys-'));
});
afterAll(() => rmSync(root, { recursive: true }));

const open = (dataDir?: string) => new ServerKeys({ given: undefined, others: [], dataDir });

test('is made on first use, once, and kept', async () => {
  const dataDir = join(root, 'fresh');
  const keys = open(dataDir);
  expect(keys.all).toEqual([]);
  const [first, again] = await Promise.all([keys.signing(), keys.signing()]);
  expect(first).toBe(again);
  expect(first.algorithm).toBe('RS256');
  expect(keys.all.map(({ id }) => id)).toEqual([first.id]);
  expect(readdirSync(join(dataDir, 'pki'))).toEqual(['sa.key']);
  expect(statSync(join(dataDir, 'pki', 'sa.key')).mode & 0o777).toBe(0o600);
  expect((await open(dataDir).signing()).id).toBe(first.id);
});

test('is the same for two who make it at once', async () => {
  const dataDir = join(root, 'shared');
  const [one, two] = await Promise.all([open(dataDir).signing(), open(dataDir).signing()]);
  expect(one.id).toBe(two.id);
});

test('a key that another server made later is trusted', async () => {
  const dataDir = join(root, 'replicas');
  const before = open(dataDir);
  const { id } = await open(dataDir).signing();
  expect(before.all.map((key) => key.id)).toEqual([id]);
});

test('an existing key of another type stays in use', () => {
  const dataDir = join(root, 'old');
  mkdirSync(join(dataDir, 'pki'), { recursive: true });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(dataDir, 'pki', 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  expect(open(dataDir).signing()).toMatchObject({ algorithm: 'ES256' });
});

test('that cannot be read is an error, not replaced', () => {
  const dataDir = join(root, 'broken');
  mkdirSync(join(dataDir, 'pki'), { recursive: true });
  writeFileSync(join(dataDir, 'pki', 'sa.key'), 'nonsense');
  expect(() => open(dataDir)).toThrow();
});
