// Bundles the sources into dist/ (`--if-stale`: only when they changed; `--types`: with declaration files).
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const entries = { index: 'src/index.ts', testing: 'src/testing/index.ts', cli: 'src/cli/main.ts' };

/** The loader is a module; what it loads is CommonJS, for which V8 takes compiled code (docs/decisions/0006-compiled-code.md). */
export async function build() {
  rmSync(dist, { recursive: true, force: true });
  await bundle({ load: 'src/load.ts' }, { format: 'esm', entryFileNames: '[name].js' });
  const names = { entryFileNames: 'chunks/[name]-[hash].cjs', chunkFileNames: 'chunks/[name]-[hash].cjs' };
  const { output } = await bundle(entries, { format: 'cjs', strict: true, charset: 'ascii', ...names });
  for (const chunk of output.filter(({ isEntry }) => isEntry))
    writeFileSync(join(dist, `${chunk.name}.js`), facade(chunk));
}

async function bundle(input, output) {
  const rolldown = await import('rolldown');
  return rolldown.build({
    cwd: root,
    input,
    platform: 'node',
    external: [/^node:/, /^[^./]/],
    logLevel: 'warn',
    output: { dir: 'dist', sourcemap: true, ...output },
  });
}

/** What people import: a module with the exports of an entry. */
function facade({ fileName, exports }) {
  return `import { fileURLToPath } from 'node:url';
import { load } from './load.js';

export const { ${exports.join(', ')} } = load(fileURLToPath(new URL('./${fileName}', import.meta.url)));
`;
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
