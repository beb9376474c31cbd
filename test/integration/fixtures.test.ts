// The fixtures `keelson/vitest`, `keelson/jest` and `keelson/node-test`, each in its own runner.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith, jest, programOf } from '../interop/peers.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'keelson-fixtures-'));
beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/keelson'));
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const { NODE_OPTIONS: _, VITEST: __, JEST_WORKER_ID: ___, ...environment } = process.env;

function run(program: string, args: readonly string[], file: string, source: string): string {
  writeFileSync(join(folder, file), source);
  const env = { ...environment, NODE_ENV: 'test', NO_COLOR: '1', FORCE_COLOR: '0' };
  const { stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8', env });
  return stdout + stderr;
}

/** Two tests that would not pass together without a reset, and one that fails. */
const tests = (equal: (actual: string, expected: string) => string) => `
for (const round of [1, 2])
  test('round ' + round, async () => {
    ${equal("await server.client.configmaps('default').find('a')", 'undefined')}
    await server.client.configmaps('default').create({ metadata: { name: 'a' } });
  });
test('a test that fails', async () => {
  await server.client.configmaps('default').create({ metadata: { name: 'culprit' } });
  throw new Error('planned');
});
`;

const journalLine = 'keelson-test create configmaps default/culprit (201)';
const matcherTest = `
test('matchers', async () => {
  const owner = await server.client.configmaps('default').create({ metadata: { name: 'owner' } });
  const { apiVersion, kind, metadata: { name, uid } } = owner;
  const ownerReferences = [{ apiVersion, kind, name, uid }];
  const owned = await server.client.configmaps('default').create({
    metadata: { name: 'owned', ownerReferences, finalizers: ['example.com/a'] },
  });
  expect(owned).toHaveOwner(owner);
  expect(owner).not.toHaveOwner(owned);
  expect(owned).toHaveFinalizer('example.com/a');
  expect({ status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Slow' }] } })
    .toHaveCondition('Ready', { status: 'False', reason: expect.stringMatching('Sl') });
  const identity = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } };
  await expect(server).toHaveObject(identity);
  await expect(expect(server).toHaveObject({ ...identity, data: { a: 'b' } }, { timeoutMs: 50 })).rejects
    .toThrow('data: {"a":"b"} is expected, it is absent');
  await server.client.configmaps('default').delete('owner');
  await expect(server).not.toHaveObject(identity);
});
`;

test('node:test: a server for the file, reset after each test, with its journal where a test fails', () => {
  const source = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useTestServer } from 'keelson/node-test';
const server = useTestServer({ listen: false, settle: true });
assert.throws(() => server.client, /runs while tests/);
${tests((actual, expected) => `assert.equal(${actual}, ${expected});`)}`;
  const output = run(process.execPath, ['--test', '--test-reporter=tap', 'a.test.mjs'], 'a.test.mjs', source);
  expect(output).toMatch(/# pass 2\n# fail 1/);
  expect(output.split(journalLine)).toHaveLength(2);
});

test('vitest: the same, with matchers', () => {
  const source = `import { expect, test } from 'vitest';
import { useTestServer } from 'keelson/vitest';
const server = useTestServer({ listen: false, settle: true });
${tests((actual, expected) => `expect(${actual}).toBe(${expected});`)}${matcherTest}`;
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, 'b.test.js'];
  const output = run(process.execPath, args, 'b.test.js', source);
  expect(output).toMatch(/Tests +1 failed \| 3 passed/);
  expect(output.split(journalLine)).toHaveLength(2);
});

describeWith(jest, 'jest', () => {
  test('the same, with matchers', () => {
    const source = `const { useTestServer } = require('keelson/jest');
const server = useTestServer({ listen: false, settle: true });
${tests((actual, expected) => `expect(${actual}).toBe(${expected});`)}${matcherTest}`;
    writeFileSync(join(folder, 'package.json'), '{}');
    const args = ['--rootDir', folder, '--ci', '--watchman=false', '--testMatch', '**/c.test.cjs'];
    const output = run(programOf(jest), args, 'c.test.cjs', source);
    expect(output).toMatch(/Tests: +1 failed, 3 passed/);
    expect(output.split(journalLine)).toHaveLength(2);
    expect(output).not.toContain('did not exit');
  });
});
