// Writes the types of the built-in kinds, and bundles the sources into dist/ (`--if-stale`: only when they changed; `--types`: with declaration files; `--out FOLDER`: elsewhere).
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildConsole } from './build-console.mjs';
import { isStale } from './stale.cjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const dist = args.includes('--out') ? resolve(args[args.indexOf('--out') + 1]) : join(root, 'dist');
const entries = {
  index: 'src/index.ts',
  testing: 'src/testing/index.ts',
  fixture: 'src/testing/fixture.ts',
  jest: 'src/testing/jest.ts',
  'node-test': 'src/testing/node-test.ts',
  cli: 'src/cli/main.ts',
  'serving-thread': 'src/server/threads/serving-thread.ts',
};

/**
 * All of it is CommonJS, for which V8 takes compiled code (docs/decisions/0006-compiled-code.md).
 * V8 forgets who resolves `import()` in code that it takes back, so that is `require()` there.
 */
export async function build() {
  phase('types of kinds');
  await writeKinds();
  phase('bundle');
  rmSync(dist, { recursive: true, force: true });
  const loader = await bundle({ load: 'src/runtime/load.ts' }, { format: 'cjs', entryFileNames: '[name].cjs' });
  const names = { entryFileNames: 'chunks/[name]-[hash].cjs', chunkFileNames: 'chunks/[name]-[hash].cjs' };
  const { output } = await bundle(entries, {
    format: 'cjs',
    strict: true,
    charset: 'ascii',
    dynamicImportInCjs: false,
    ...names,
  });
  for (const { fileName, code } of output)
    if (code && Buffer.byteLength(code) !== code.length)
      throw new Error(`${fileName} is not ASCII, as its loader has it`);
  for (const chunk of output.filter(({ isEntry }) => isEntry)) {
    if (chunk.name === 'cli') writeFileSync(join(dist, 'cli.cjs'), loading(chunk));
    else if (chunk.name === 'serving-thread') writeFileSync(join(dist, 'serving-thread.cjs'), loading(chunk));
    else {
      writeFileSync(join(dist, `${chunk.name}.js`), facade(chunk));
      // for programs that require: jest loads nothing else
      writeFileSync(join(dist, `${chunk.name}.cjs`), `module.exports = require('./${chunk.fileName}');\n`);
    }
  }
  phase('OpenAPI documents');
  await bundleForVitest();
  await writeDocuments();
  phase('console');
  const consoleSources = await buildConsole(join(dist, 'console'));
  // last: a build that was interrupted is stale
  writeFileSync(join(dist, 'sources.txt'), sourcesOf([...loader.output, ...output], consoleSources));
}

/** What a build does now, for people who wait for it. */
function phase(name) {
  if (process.stderr.isTTY) process.stderr.write(`keelson: building ${name} ...\n`);
}

const kinds = join(root, 'src', 'testing', 'kinds');

/** The types of the built-in kinds, which git ignores. A file that would not change keeps its time: builds run next to type checks. */
async function writeKinds() {
  const { loadSource } = await import('./load-source.mjs');
  const { builtInDeclarations } = await loadSource('src/testing/kind-declarations.ts');
  const files = new Map([...builtInDeclarations()].map(([name, text]) => [`${name}.ts`, text]));
  mkdirSync(kinds, { recursive: true });
  const before = new Map(readdirSync(kinds).map((name) => [name, readFileSync(join(kinds, name), 'utf8')]));
  for (const name of before.keys()) if (!files.has(name)) rmSync(join(kinds, name));
  for (const [name, text] of files) if (before.get(name) !== text) writeFileSync(join(kinds, name), text);
}

/** The OpenAPI documents, by a process that finds the packages that the bundle needs wherever the bundle is. */
async function writeDocuments() {
  const { execFileSync } = await import('node:child_process');
  const script = join(root, 'scripts', 'openapi-documents.mjs');
  const env = { ...process.env, NODE_PATH: join(root, 'node_modules') };
  execFileSync(process.execPath, [script, dist], { env, stdio: 'inherit' });
}

/** The files that a build was made of, one a line: `stale.cjs` looks at their times. */
function sourcesOf(output, others) {
  const made = ['src/testing/kind-declarations.ts', 'src/testing/kinds/built-in-kinds.ts'].map((file) =>
    join(root, file),
  );
  const files = new Set([
    ...output.flatMap(({ moduleIds = [] }) => moduleIds.filter((id) => id.startsWith(root))),
    ...made,
    ...others,
  ]);
  return [...files].map((file) => `${relative(root, file)}\n`).join('');
}

async function bundle(input, output, plugins = []) {
  const rolldown = await import('rolldown');
  return rolldown.build({
    cwd: root,
    input,
    plugins,
    platform: 'node',
    external: [/^node:/, /^[^./]/],
    logLevel: 'warn',
    output: { dir: dist, sourcemap: true, ...output },
  });
}

/** vitest cannot be required: its fixture is a module, and takes the rest from the bundle. */
async function bundleForVitest() {
  const fixture = {
    name: 'fixture of the bundle',
    resolveId: (source) => (source === './fixture.ts' ? { id: './fixture.js', external: true } : undefined),
  };
  const input = { vitest: 'src/testing/vitest.ts' };
  await bundle(input, { format: 'esm', entryFileNames: '[name].js' }, [fixture]);
}

/** What people import: a module with the exports of an entry, loaded by Node alone. */
function facade({ fileName, exports }) {
  return `import entry from './${fileName}';

export const { ${exports.join(', ')} } = entry;
`;
}

/** What `bin/keelson.cjs` requires, and the program of a worker thread. */
function loading({ fileName }) {
  return `module.exports = require('./load.cjs').load(require.resolve('./${fileName}'));
`;
}

async function buildTypes() {
  phase('declaration files');
  const { execFileSync } = await import('node:child_process');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.types.json', '--outDir', join(dist, 'types')], {
    cwd: root,
    stdio: 'inherit',
  });
  const { declareOptions } = await import('./write-options.mjs');
  await declareOptions(join(dist, 'types'));
}

const usage = 'usage: node scripts/build.mjs [--if-stale] [--types] [--out FOLDER]';

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (args.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  if (!args.includes('--if-stale') || isStale(root)) await build();
  if (args.includes('--types')) await buildTypes();
}
