// TypeScript on pages for users: it has the types that the package gives to its users.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { blocksOf } from '../interop/page-blocks.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'keelson-docs-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** About the code of the engine, for contributors: it shows parts of a function. */
const forContributors = new Set(['docs/cel.md']);
const pages = [
  'README.md',
  ...['docs', 'docs/guides'].flatMap((where) => readdirSync(join(root, where)).map((name) => `${where}/${name}`)),
];

test.skipIf(!existsSync(join(root, 'dist/types')))('every block of TypeScript compiles', () => {
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/keelson'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'examples/extension-api-server/books.ts'), join(folder, 'books.ts'));
  const files = pages
    .filter((page) => page.endsWith('.md') && !forContributors.has(page))
    .flatMap((page) => blocksOf(readFileSync(join(root, page), 'utf8')).map((block) => ({ page, ...block })))
    .filter(({ language }) => language === 'ts')
    .map(({ page, text }, at) => {
      const file = join(folder, `${page.replaceAll('/', '-')}-${at}.ts`);
      writeFileSync(file, `${text}\nexport {};\n`);
      return file;
    });
  expect(files.length).toBeGreaterThan(7);
  const settings = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: ['node'] },
    ...{ module: 'nodenext', target: 'es2022', lib: ['es2023', 'esnext.disposable'] },
    typeRoots: [join(root, 'node_modules/@types')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: settings, files }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});
