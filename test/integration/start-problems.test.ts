// What a start or a command says when something that it needs is missing: one line that names the flag.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createServer } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { etcdHint, hasEtcd, startEtcd } from '../etcd-process.ts';
import { apiOf } from './api.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');
const folder = mkdtempSync(join(tmpdir(), 'keelson-start-'));
const running: ChildProcess[] = [];
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function keelson(...args: readonly string[]) {
  const child = spawn(process.execPath, [bin, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    errors += part.toString();
  });
  const closed = once(child, 'close');
  return {
    child,
    output: () => output,
    errors: () => errors,
    exited: closed.then(([code]) => code as number | null),
    async until(isThere: () => boolean): Promise<void> {
      while (!isThere()) {
        const ended = closed.then(() => 'ended');
        const more = [child.stdout, child.stderr].map((stream) => once(stream, 'data'));
        if ((await Promise.race([...more, ended])) === 'ended' && !isThere())
          throw new Error(`it ended: ${output}${errors}`);
      }
    },
  };
}

const logged = () => {
  const lines: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  const add = (fields: object, message: string) => void lines.push({ message, fields: { ...fields } });
  return { lines, log: { info: add, warn: add, error: add } };
};

describe.skipIf(!hasEtcd)(`a start before that of ${etcdHint}`, () => {
  test('waits, names the flag in one line, and goes on once etcd answers', async () => {
    await using etcd = await startEtcd();
    await etcd.crash();
    const server = keelson('--data-dir', 'waiting', '--secure-port=0', '--etcd-servers', etcd.url);
    await server.until(() => server.errors().includes('\n'));
    expect(server.output()).toBe('');
    expect(JSON.parse(server.errors())).toMatchObject({
      level: 'error',
      msg: `--etcd-servers: ${etcd.url}: etcd is not available: connect ECONNREFUSED ${new URL(etcd.url).host}; the server waits for it`,
    });
    await etcd.restart();
    await server.until(() => server.output().includes('is ready'));
    expect(server.errors().trimEnd().split('\n')).toHaveLength(1);
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(0);
  });
});

test('token bootstrap fails where the server does not accept such tokens, and leaves none behind', async () => {
  const dataDir = join(folder, 'no-tokens');
  await using server = await startTestServer({ store: 'embedded', dataDir });
  const run = keelson('token', 'bootstrap', '--data-dir', dataDir);
  expect(await run.exited).toBe(1);
  expect([run.output(), run.errors()]).toEqual([
    '',
    'keelson: the server does not accept bootstrap tokens: start it with --enable-bootstrap-token-auth\n',
  ]);
  expect((await apiOf(server).get('/api/v1/namespaces/kube-system/secrets')).body.items).toEqual([]);
});

describe('audit', () => {
  const policyFile = join(folder, 'policy.yaml');
  writeFileSync(policyFile, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');

  test('a policy that is not there is an error, with and without a log', async () => {
    for (const log of [{}, { log: { path: join(folder, 'audit.log') } }])
      await expect(createServer({ audit: { policyFile: '/nowhere/policy', ...log } })).rejects.toThrow(
        /^audit\.policyFile: ENOENT/,
      );
  });

  test.each([
    ['a policy without a log', { policyFile }, '--audit-policy-file needs --audit-log-path or --audit-webhook'],
    [
      'a log without a policy',
      { log: { path: join(folder, 'x.log') } },
      'audit needs a policy, the file of --audit-po',
    ],
  ])('%s is a warning', async (_, audit, words) => {
    const { lines, log } = logged();
    await using server = await createServer({ audit, log, verbosity: 0 });
    expect((await server.fetch('/version')).status).toBe(200);
    expect(lines.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
  });
});

test('a fresh start logs no failed request of the server itself at level 2, and those of clients', async () => {
  const { lines, log } = logged();
  const options = { store: 'embedded', dataDir: join(folder, 'fresh'), settle: true, verbosity: 2, log } as const;
  await using server = await startTestServer(options);
  const failed = () => lines.filter(({ message }) => message === 'request failed').map(({ fields }) => fields);
  expect(failed()).toEqual([]);
  expect((await server.fetch('/api/v1/nodes/x')).status).toBe(404);
  expect(failed()).toEqual([expect.objectContaining({ path: '/api/v1/nodes/x', status: 404 })]);
});
