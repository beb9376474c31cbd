// Fuzzes parsers, selectors and patches for longer than `npm test` does: `npm run test:fuzz -- --factor 100 src/patch`.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = parseArgs({
  options: { factor: { type: 'string', default: '50' } },
  allowPositionals: true,
});
const factor = Number(values.factor);
if (!(factor > 0)) throw new Error('--factor: give a number, 50 for fifty times as many runs as usual');

/** Every test that can be told to run longer. */
const fuzzed = ['src', 'test']
  .flatMap((folder) => filesIn(join(root, folder)))
  .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes('fuzz-runs.ts'))
  .map((file) => relative(root, file));

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
}

const chosen = fuzzed.filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)));
if (chosen.length === 0) throw new Error(`nothing to fuzz in ${positionals.join(', ')}`);

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const { status } = spawnSync(process.execPath, [vitest, 'run', '--test-timeout=0', ...chosen], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, KEELSON_FUZZ_FACTOR: String(factor) },
});
process.exitCode = status ?? 1;
