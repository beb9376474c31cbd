// The test kit in jest itself: the page's own test as it stands, and one that is an ES module.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from './page-blocks.ts';
import { describeWith, jest, programOf } from './peers.ts';
import { TempFolder } from './temp-folder.ts';

const root = join(import.meta.dirname, '../..');

/** What jest tells of a project with one test file. */
function outcome(file: string, source: string, manifest: object, nodeOptions = '') {
  using folder = new TempFolder();
  mkdirSync(join(folder.path, 'node_modules'));
  symlinkSync(root, join(folder.path, 'node_modules/keelson'));
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder.path, file), source);
  const { VITEST: _, JEST_WORKER_ID: __, ...env } = process.env;
  const args = ['--rootDir', folder.path, '--json', '--ci', '--watchman=false'];
  const options = {
    cwd: folder.path,
    encoding: 'utf8',
    env: { ...env, NODE_ENV: 'test', NODE_OPTIONS: nodeOptions },
  } as const;
  const { stdout, stderr } = spawnSync(programOf(jest), args, options);
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(stdout) as Record<string, number>;
  // a server that goes on after its tests keeps jest from ending, which it says
  return { numPassedTests, failed: [numFailedTests, numFailedTestSuites], isHeld: /did not exit/.test(stderr), stderr };
}

describeWith(jest, 'jest', () => {
  test('runs the test of the page', () => {
    const page = readFileSync(join(root, 'docs/guides/testing.md'), 'utf8');
    const block = blocksOf(page).find(({ words }) => words[0] === 'greeter.test.js');
    const { stderr, ...told } = outcome('greeter.test.js', block?.text ?? '', { private: true });
    expect(told, stderr).toEqual({ numPassedTests: 4, failed: [0, 0], isHeld: false });
  });

  test('imports the kit into a test that is an ES module', () => {
    const source = `import { startTestServer } from 'keelson/testing';
      test('imported', async () => {
        const server = await startTestServer({ listen: false });
        expect((await server.client.namespaces().get('default')).status.phase).toBe('Active');
        await expect(startTestServer({ lisen: false })).rejects.toThrow('did you mean listen?');
        await server.close();
      });`;
    const { stderr, ...told } = outcome('kit.test.js', source, { type: 'module' }, '--experimental-vm-modules');
    expect(told, stderr).toEqual({ numPassedTests: 1, failed: [0, 0], isHeld: false });
  });
});
