// A server that follows manifests, as `keelson serve -f` has it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LocalServer } from './local-server.ts';
import { checkFollowedPaths, ManifestFollower } from './manifest-follower.ts';
import type { SyncResult } from './manifest-sync.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-follow-'));
const file = join(folder, 'a.yaml');
const results: SyncResult[] = [];
const errors: string[] = [];
let server: LocalServer;
let follower: ManifestFollower;

const map = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {value: ${value}}\n`;

beforeAll(async () => {
  server = await LocalServer.open({});
  writeFileSync(file, `${map('a', 'one')}---\n${map('b', 'one')}`);
  follower = new ManifestFollower(server, {
    ...{ paths: [folder], recursive: false, fieldManager: 'tester', prunes: false },
    onSync: (result) => results.push(result),
    onError: (message) => errors.push(message),
  });
});
afterAll(async () => {
  await follower.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

async function apply(text: string): Promise<SyncResult | undefined> {
  writeFileSync(file, text);
  await follower.apply();
  return results.at(-1);
}

const path = '/api/v1/namespaces/default/configmaps';

test('objects are kept that are removed from the files, unless pruning is requested', async () => {
  await follower.apply();
  expect(results.at(-1)).toEqual({ created: ['ConfigMap a', 'ConfigMap b'], changed: [], deleted: [], problems: [] });
  expect(await apply(map('a', 'two'))).toMatchObject({ changed: ['ConfigMap a'], deleted: [] });
  expect((await server.send({ method: 'GET', path: `${path}/b` })).status).toBe(200);
});

test('a change by another client to other fields is not reported as a change', async () => {
  const body = { metadata: { labels: { colour: 'blue' } } };
  const contentType = 'application/merge-patch+json';
  await server.send({ method: 'PATCH', path: `${path}/a?fieldManager=other`, body, contentType });
  expect(await apply(map('a', 'two'))).toMatchObject({ created: [], changed: [], problems: [] });
});

test('fields that another client changed are taken back', async () => {
  const body = { data: { value: 'three' } };
  const contentType = 'application/merge-patch+json';
  await server.send({ method: 'PATCH', path: `${path}/a?fieldManager=other`, body, contentType });
  await apply(map('a', 'two'));
  const { body: object } = await server.send({ method: 'GET', path: `${path}/a` });
  expect(object).toMatchObject({ data: { value: 'two' } });
});

test('a folder without manifests is reported and changes nothing', async () => {
  rmSync(file);
  await follower.apply();
  expect(errors).toEqual([expect.stringContaining('there is no .yaml, .yml or .json file in this folder')]);
});

test('paths that cannot be followed are refused before the server starts', () => {
  expect(() => checkFollowedPaths(['-'])).toThrow('standard input cannot be followed');
  expect(() => checkFollowedPaths([join(folder, 'absent')])).toThrow('there is no such file or folder');
});
