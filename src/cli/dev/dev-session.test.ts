// A server that follows a folder.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../client/connect.ts';
import { loadKubeconfig } from '../../client/kubeconfig/load.ts';
import type { SyncResult } from '../manifests/manifest-sync.ts';
import { DevSession } from './dev-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-dev-'));
const file = join(folder, 'a.yaml');
const lines: string[] = [];
const results: SyncResult[] = [];
let wake = () => {};
let session: DevSession;

const map = (name: string, value = 'x') =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {value: ${value}}\n`;

beforeAll(async () => {
  writeFileSync(file, `${map('a')}---\n${map('b')}`);
  session = await DevSession.start({
    paths: [folder],
    recursive: false,
    server: { securePort: 0, enableUi: true },
    hasColours: false,
    print: (line) => lines.push(line),
    onSync(result) {
      results.push(result);
      wake();
    },
  });
});
afterAll(async () => {
  await session.close();
  rmSync(folder, { recursive: true });
});

/** Writes the file, and waits until it was applied with an effect. */
async function save(text: string): Promise<SyncResult> {
  const before = results.length;
  writeFileSync(file, text);
  for (;;) {
    const result = results.slice(before).find((one) => Object.values(one).some((list) => list.length > 0));
    if (result !== undefined) return result;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

async function names(): Promise<readonly (string | undefined)[]> {
  const connection = connect(await loadKubeconfig({ text: session.kubeconfig }));
  try {
    const { items } = await connection.client.list('/api/v1/namespaces/default/configmaps');
    return items.map(({ metadata }) => metadata.name).filter((name) => !name?.includes('root-ca'));
  } finally {
    connection.close();
  }
}

test('manifests are applied at the start, on save, and what is gone from them is deleted', async () => {
  expect(results[0]).toEqual({ created: ['ConfigMap a', 'ConfigMap b'], changed: [], deleted: [], problems: [] });
  const result = await save(`${map('a', 'z')}---\n${map('c')}`);
  expect(result).toEqual({
    ...{ created: ['ConfigMap c'], changed: ['ConfigMap a'] },
    ...{ deleted: ['ConfigMap b'], problems: [] },
  });
  expect(await names()).toEqual(['a', 'c']);
});

test('a file that cannot be read deletes nothing, and is reported with its line', async () => {
  const { deleted, problems } = await save(`${map('a', 'z')}---\nkind: [\n`);
  expect(deleted).toEqual([]);
  expect(problems).toEqual([expect.stringContaining('a.yaml:')]);
  expect(await names()).toEqual(['a', 'c']);
});

test('an object that is refused is reported with its line', async () => {
  const { problems } = await save(`${map('a', 'z')}---\n${map('C')}---\n${map('c')}`);
  expect(problems).toEqual([expect.stringMatching(/a\.yaml:8: ConfigMap C: .*lowercase/)]);
});

test('reset leaves the objects of the manifests alone', async () => {
  await save(map('d'));
  const connection = connect(await loadKubeconfig({ text: session.kubeconfig }));
  const other = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } };
  await connection.client.create('/api/v1/namespaces/default/configmaps', other);
  connection.close();
  expect(await names()).toEqual(['d', 'other']);
  await session.reset();
  expect(await names()).toEqual(['d']);
});

test('requests of clients are printed with their status, time and user', async () => {
  lines.length = 0;
  await names();
  expect(lines).toEqual([
    expect.stringMatching(/^200 list {3}\/api\/v1\/namespaces\/default\/configmaps \d+ ms keelson-admin$/),
  ]);
});

test('the console has a link to sign in', () => {
  expect(session.consoleLink()).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/ui\/#link=/);
});
