// What users of other tools start: the GitHub action, and the Go module where there is a Go toolchain.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { connect, loadKubeconfig } from '../../src/index.ts';

const root = join(import.meta.dirname, '../..');
const bin = join(root, 'bin/keelson.cjs');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-clients-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Action {
  readonly runs: { readonly steps: readonly { readonly run: string }[] };
}

/** Stands for npm: it installs this checkout, with a command that notes its process. */
const npm = `#!/bin/bash
home=$(printf '%s\\n' "$@" | grep -A1 -x -- --prefix | tail -1)
mkdir -p "$home/node_modules/.bin"
printf '#!/bin/bash\\necho $$ >"%s/pid"\\nexec "%s" "%s" "$@"\\n' "$home" '${process.execPath}' '${bin}' >"$home/node_modules/.bin/keelson"
chmod +x "$home/node_modules/.bin/keelson"
`;

test('the action starts a server with manifests, and sets KUBECONFIG', async () => {
  const { runs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;
  const path = (name: string) => join(folder, name);
  mkdirSync(path('bin'));
  writeFileSync(path('bin/npm'), npm);
  chmodSync(path('bin/npm'), 0o755);
  writeFileSync(path('a.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n');
  const env = {
    ...process.env,
    ...{ PATH: `${path('bin')}:${process.env['PATH']}`, KEELSON_PACKAGE: 'keelson', KEELSON_FLAGS: '--v=0' },
    ...{ KEELSON_MANIFESTS: path('a.yaml'), KEELSON_HOME: path('home') },
    ...{ GITHUB_ENV: path('env'), GITHUB_OUTPUT: path('output') },
  };
  const { status, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', runs.steps[0]?.run ?? ''], {
    env,
    encoding: 'utf8',
  });
  const pid = Number(readFileSync(path('home/pid'), 'utf8'));
  try {
    expect([status, stderr]).toEqual([0, '']);
    const [, file = ''] = /^KUBECONFIG=(.*)$/m.exec(readFileSync(path('env'), 'utf8')) ?? [];
    expect(readFileSync(path('output'), 'utf8')).toBe(`kubeconfig=${file}\n`);
    const connection = connect(await loadKubeconfig({ file }));
    expect(await connection.client.find('/api/v1/namespaces/shop')).toBeDefined();
    connection.close();
  } finally {
    process.kill(pid);
  }
});

const go = process.env['KEELSON_GO'] ?? 'go';
const hasGo = spawnSync(go, ['version']).status === 0;

test.skipIf(!hasGo)('the Go module starts a server, with the standard library alone', () => {
  const env = {
    ...{ ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOCACHE: join(folder, 'go-cache'), GOTOOLCHAIN: 'local' },
    KEELSON: `${process.execPath} ${bin}`,
  };
  const options = { cwd: join(root, 'clients/go'), env, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(go, ['test', '-count=1', './...'], options);
  expect([status, stderr], stdout).toEqual([0, '']);
});
