// Loads a module of src/ into a script, with all that it imports.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** `path` is below the root of the project. The module may import packages, which are found from `node_modules`. */
export async function loadSource(path) {
  const { build } = await import('rolldown');
  mkdirSync(join(root, 'node_modules', '.keelson'), { recursive: true });
  const dir = mkdtempSync(join(root, 'node_modules', '.keelson', 'source-'));
  try {
    await build({
      ...{ cwd: root, input: path, platform: 'node', external: [/^node:/, /^[^./]/], logLevel: 'warn' },
      output: { dir, format: 'cjs', entryFileNames: 'source.cjs', codeSplitting: false },
    });
    return createRequire(import.meta.url)(join(dir, 'source.cjs'));
  } finally {
    rmSync(dir, { recursive: true });
  }
}
