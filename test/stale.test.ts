// Whether a start from a checkout builds first.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const { isStale } = createRequire(import.meta.url)('../scripts/stale.cjs') as { isStale(root: string): boolean };

let root: string;
const file = (name: string) => join(root, name);

function put(name: string, second: number, text = ''): void {
  writeFileSync(file(name), text);
  utimesSync(file(name), second, second);
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'keelson-stale-'));
  mkdirSync(file('src/inner'), { recursive: true });
  mkdirSync(file('dist'));
  put('src/a.ts', 100);
  put('src/inner/b.ts', 100);
  put('dist/cli.cjs', 200);
  put('dist/sources.txt', 201, 'src/a.ts\nsrc/inner/b.ts\n');
});
afterEach(() => rmSync(root, { recursive: true }));

test('a build is good as long as the files that it was made of are older', () => {
  expect(isStale(root)).toBe(false);
  // what the build does not know is imported by a file that it knows, or by none
  put('src/inner/new.ts', 300);
  expect(isStale(root)).toBe(false);
  put('src/inner/b.ts', 300);
  expect(isStale(root)).toBe(true);
});

test.each(['src/a.ts', 'src/inner/b.ts', 'dist/cli.cjs', 'dist/sources.txt'])('without %s it is not', (name) => {
  rmSync(file(name));
  expect(isStale(root)).toBe(true);
});
