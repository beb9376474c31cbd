// Bundles the web console (`console/`) into a folder: files with hashed names, each also compressed, and `files.json`, which lists them.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'console');

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Gives the source files of the console. */
export async function buildConsole(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'assets'), { recursive: true });
  const output = await bundle();
  const files = [];
  const write = (name, content, isHashed = true) => {
    const bytes = Buffer.from(content);
    writeFileSync(join(folder, name), bytes);
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(folder, `${name}.br`), brotli(bytes));
    files.push({ name, type: types[name.split('.').at(-1)], isHashed });
    return `/ui/${name}`;
  };
  for (const { fileName, code } of output) write(fileName, code);
  const entry = output.find(({ isEntry }) => isEntry);
  const styles = readdirSync(join(source, 'styles')).sort();
  const css = styles.map((name) => readFileSync(join(source, 'styles', name), 'utf8')).join('\n');
  const icon = readFileSync(join(source, 'icon.svg'));
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{{styles}}', write(`assets/styles-${hashOf(css)}.css`, css))
    .replace('{{icon}}', write(`assets/icon-${hashOf(icon)}.svg`, icon))
    .replace('{{program}}', `/ui/${entry.fileName}`);
  write('index.html', html, false);
  writeFileSync(
    join(folder, 'files.json'),
    `${JSON.stringify({ files, first: firstView(entry, output) }, undefined, 2)}\n`,
  );
  const modules = output.flatMap(({ moduleIds }) => moduleIds.filter((id) => id.startsWith(source)));
  return [...modules, ...styles.map((name) => join(source, 'styles', name)), join(source, 'index.html')];
}

/** What a browser loads before a user does anything: the entry and the chunks that it imports. */
function firstView(entry, output) {
  const names = new Set([entry.fileName]);
  for (const name of names)
    for (const imported of output.find(({ fileName }) => fileName === name).imports) names.add(imported);
  return [...names];
}

async function bundle() {
  const rolldown = await import('rolldown');
  const { output } = await rolldown.build({
    cwd: root,
    input: { main: 'console/main.tsx' },
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
    logLevel: 'warn',
    write: false,
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    output: {
      format: 'esm',
      minify: true,
      entryFileNames: 'assets/[name]-[hash].js',
      chunkFileNames: 'assets/[name]-[hash].js',
    },
  });
  return output;
}

const hashOf = (content) => createHash('sha256').update(content).digest('base64url').slice(0, 8);

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });

if (import.meta.url === new URL(process.argv[1] ?? '', 'file:').href)
  await buildConsole(process.argv[2] ?? join(root, 'dist', 'console'));
