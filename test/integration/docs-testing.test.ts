// The code blocks of docs/guides/testing.md, run in their order.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'keelson-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the operator of the page of the operator kit passes its test', () => {
  const page = readFileSync(join(root, 'docs/guides/operator-kit.md'), 'utf8');
  const files = [...page.matchAll(/```js (\S+)\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => ({ name, text }));
  const operator = join(folder, 'operator');
  mkdirSync(join(operator, 'node_modules'), { recursive: true });
  symlinkSync(root, join(operator, 'node_modules/keelson'));
  for (const { name, text } of files) writeFileSync(join(operator, name), text);
  const lines = files.reduce((sum, { text }) => sum + text.trimEnd().split('\n').length, 0);
  expect(lines).toBeLessThanOrEqual(60);
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
  const options = { cwd: operator, env, encoding: 'utf8' } as const;
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap'], options);
  expect(stdout).toMatch(/# pass 2\n# fail 0/);
});

test('the page of the test kit holds', () => {
  const page = readFileSync(join(root, 'docs/guides/testing.md'), 'utf8');
  const [first = '', ...others] = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code as string);
  const tests = others.map((code, index) => `test('block ${index + 2}', async () => {\n${code}});\n`);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/keelson'));
  mkdirSync(join(folder, 'crds'));
  const definition = readFileSync(join(root, 'examples/testing/go/crds/widgets.yaml'));
  writeFileSync(join(folder, 'crds/widgets.yaml'), definition);
  writeFileSync(join(folder, 'seed.yaml'), 'apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n');
  writeFileSync(join(folder, 'page.test.mjs'), [first, ...tests].join('\n'));
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
  const options = { cwd: folder, env, encoding: 'utf8' } as const;
  const { stdout } = spawnSync(process.execPath, ['--test', '--test-reporter=tap', 'page.test.mjs'], options);
  expect(tests.length).toBeGreaterThan(7);
  expect(stdout).toMatch(new RegExp(`# pass ${tests.length + 1}\n# fail 0`));
});
