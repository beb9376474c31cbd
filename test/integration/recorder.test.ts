// The recorder, as its users start it: against a server of our own, with scenarios of its own.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';

const scenarios = `
- name: life
  steps:
    - request: POST {core}/configmaps
      body: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, labels: { run: '{u}' } }, data: { color: blue } }
      capture: { version: metadata.resourceVersion }
    - request: GET {core}/configmaps/a
      accept: protobuf
    - request: GET {core}/configmaps?watch=true&resourceVersion={version}
      watch:
        events: 2
        during:
          - { request: 'PATCH {core}/configmaps/a', patch: merge, body: { data: { color: red } }, setup: true }
          - { request: 'DELETE {core}/configmaps/a', only: [status] }
    - request: GET {core}/configmaps/a
    - request: GET {core}/secrets
      as: { user: jane }
- name: of
  each: { kind: [body] }
  steps:
    - request: POST {collection}?dryRun=All
      body: '{object}'
      only: [kind, spec]
`;
const kinds = `
- { apiVersion: v1, kind: Secret, body: { data: { a: AA== } } }
- { apiVersion: v1, kind: Namespace, cluster: true, body: {} }
- { apiVersion: v1, kind: Pod }
`;

let server: Server;
let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-recorder-'));
  server = await startTestServer();
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig);
  writeFileSync(join(folder, 'own.yaml'), scenarios);
  writeFileSync(join(folder, 'kinds.yaml'), kinds);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly output: string;
}

function record(...words: readonly string[]): Promise<Ran> {
  const script = join(import.meta.dirname, '../../scripts/record.mjs');
  const args = [script, '--kubeconfig', join(folder, 'kubeconfig'), '--scenarios', folder, '--out', folder, ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    );
  });
}

const file = () => join(folder, 'own.jsonl');

test('records the answers of a cluster, and compares it with them later', async () => {
  expect(await record()).toEqual({ code: 0, output: 'own: 8 answers\n' });
  const lines = readFileSync(file(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines[0]).toMatchObject({
    scenario: 'life',
    request: 'POST {core}/configmaps',
    status: 201,
    headers: { 'content-type': 'application/json' },
    body: {
      metadata: {
        name: 'a',
        namespace: '<ns>',
        uid: '<uid 1>',
        resourceVersion: '<version 1>',
        creationTimestamp: '<time>',
      },
    },
  });
  expect(lines[0].body.metadata.labels).toEqual({ run: '<u>' });
  expect(lines[1].body[0]).toEqual([
    1,
    [
      [1, 'v1'],
      [2, 'ConfigMap'],
    ],
  ]);
  expect(lines[2]).toMatchObject({ request: 'DELETE {core}/configmaps/a', body: { status: 'Success' } });
  expect(lines[3].body.map(({ type }: { type: string }) => type)).toEqual(['MODIFIED', 'DELETED']);
  expect(lines.slice(4).map(({ status }) => status)).toEqual([404, 403, 201, 201]);
  expect(lines.slice(6).map(({ scenario }) => scenario)).toEqual(['of secrets.v1', 'of namespaces.v1']);

  const same = await record('--compare', 'own');
  expect(same.output).toContain('own: 8 of 8 answers agree');
  expect(same.code).toBe(0);

  writeFileSync(file(), readFileSync(file(), 'utf8').replace('"color":"blue"', '"color":"green"'));
  const other = await record('--compare', '--scenario', 'life');
  expect(other.output).toContain(
    'own: life: 0 POST {core}/configmaps\n  .body.data.color: recorded "green", found "blue"',
  );
  expect(other.output).toContain('own: 5 of 6 answers agree');
  expect(other.code).toBe(1);
  expect(await namespacesLeft()).toEqual([]);
});

/** Namespaces that scenarios made and did not remove. */
async function namespacesLeft(): Promise<readonly string[]> {
  const { body } = await apiOf(server).get('/api/v1/namespaces');
  const items = body.items as readonly { metadata: { name: string; deletionTimestamp?: string } }[];
  const left = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return left.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('ns-'));
}
