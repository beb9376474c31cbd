// The recipes of examples/testing, run where their languages are on this machine and looked at where they are not.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from './page-blocks.ts';

const root = join(import.meta.dirname, '../..');
const examples = join(root, 'examples/testing');
const clone = mkdtempSync(join(tmpdir(), 'keelson-recipes-'));
const folder = join(clone, 'examples/testing');
const { NODE_OPTIONS: _, VITEST: __, ...plain } = process.env;
const env = { ...plain, KEELSON: `${process.execPath} ${join(root, 'bin/keelson.cjs')}` };

const isSource = (path: string) => !/(?:^|[/])(?:node_modules|package-lock[.]json)$/.test(path);

beforeAll(() => {
  cpSync(examples, folder, { recursive: true, filter: isSource });
  cpSync(join(root, 'package.json'), join(clone, 'package.json'));
  for (const part of ['bin', 'dist', 'node_modules']) symlinkSync(join(root, part), join(clone, part));
});
afterAll(() => rmSync(clone, { recursive: true }));

const has = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const read = (path: string) => readFileSync(join(examples, path), 'utf8');

describe('recipes that run here', () => {
  test('JavaScript, installed as in a clone', () => {
    const cwd = join(clone, 'examples/testing/javascript');
    const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', install, { cwd, env, stdio: 'ignore' });
    const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], { cwd, env, encoding: 'utf8' });
    expect(stdout).toMatch(/# pass 2\n# fail 0/);
  });

  test.skipIf(!has('python3', '--version'))('Python', () => {
    const cwd = join(folder, 'python');
    const { stderr, status } = spawnSync('python3', ['-m', 'unittest'], { cwd, env, encoding: 'utf8' });
    expect(stderr).toMatch(/Ran 2 tests[\s\S]*OK\n$/);
    expect(status).toBe(0);
  });

  test.skipIf(!has('javac', '-version'))('Java', () => {
    const cwd = join(folder, 'java');
    execFileSync('javac', ['KeelsonServer.java', 'GreeterTest.java'], { cwd });
    expect(execFileSync('java', ['GreeterTest'], { cwd, env, encoding: 'utf8' })).toBe('2 tests passed\n');
  });
});

test('the line of a test server has what the page shows, and no more', () => {
  const page = readFileSync(join(root, 'docs/guides/testing-in-any-language.md'), 'utf8');
  const shown = blocksOf(page).find(({ words }) => words[0] === 'line.json')?.text ?? '';
  const args = [join(root, 'bin/keelson.cjs'), 'test-server'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8', input: '' });
  const [line, ...more] = stdout.trim().split('\n');
  expect(more).toEqual([]);
  const typesIn = (text: string) =>
    Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, typeof value]);
  expect(typesIn(line ?? '')).toEqual(typesIn(shown));
});

describe('recipes whose libraries are not here', () => {
  test('Go starts the launchers as its comment says, and names what it imports', () => {
    const source = read('go/greeter_test.go');
    const required = [...read('go/go.mod').matchAll(/^\t(\S+) v/gm)].map(([, module]) => module as string);
    const imported = [...source.matchAll(/^\t(?:\w+ )?"((?:k8s|sigs\.k8s)\.io\/[^"]+)"/gm)].map(
      ([, path]) => path as string,
    );
    expect(imported.length).toBeGreaterThan(3);
    expect(imported.filter((path) => !required.some((module) => path.startsWith(module)))).toEqual([]);
    expect(readdirSync(join(examples, 'go/crds'))).toEqual(['widgets.yaml']);
    const [, arguments_ = ''] = /npx keelson (envtest .*)/.exec(source) ?? [];
    execFileSync(process.execPath, [join(root, 'bin/keelson.cjs'), ...arguments_.split(' ')], { cwd: folder, env });
    expect(existsSync(join(folder, 'bin/kube-apiserver'))).toBe(true);
  });

  test('Rust starts the server with flags that it has, and reads what it prints', () => {
    const source = read('rust/tests/keelson/mod.rs');
    const help = execFileSync(process.execPath, [join(root, 'bin/keelson.cjs'), 'help', 'test-server'], {
      encoding: 'utf8',
    });
    expect(source).toContain('arg("test-server")');
    expect(source).toContain('["-f", manifest]');
    expect(help).toContain('-f, --manifests');
    expect(help).toContain('kubeconfig, adminPath, console and pid');
    const crates = [...read('rust/Cargo.toml').matchAll(/^([\w-]+) = \{? ?(?:version|")/gm)].map(([, name]) => name);
    for (const crate of ['k8s-openapi', 'kube', 'serde_json', 'tokio']) expect(crates).toContain(crate);
  });
});
