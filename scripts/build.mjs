// Bundles the sources into dist/ (`--if-stale`: only when they changed; `--types`: with declaration files).
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const entries = { index: 'src/index.ts', testing: 'src/testing/index.ts', cli: 'src/cli/main.ts' };

export async function build() {
  const { build: bundle } = await import('rolldown');
  rmSync(dist, { recursive: true, force: true });
  await bundle({
    cwd: root,
    input: entries,
    platform: 'node',
    external: [/^node:/, /^[^./]/],
    logLevel: 'warn',
    output: {
      dir: 'dist',
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      sourcemap: true,
    },
  });
}

export async function buildIfStale() {
  if (isStale()) await build();
}

function isStale() {
  const built = join(dist, 'cli.js');
  if (!existsSync(built)) return true;
  const builtAt = statSync(built).mtimeMs;
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true });
  return sources.some((entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).mtimeMs > builtAt);
}

function buildTypes() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--if-stale')) await buildIfStale();
  else await build();
  if (process.argv.includes('--types')) buildTypes();
}
