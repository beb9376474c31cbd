// What `npm pack` ships: the built package works for those who install it, and holds nothing else.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'keelson-pack-'));
const installed = join(folder, 'node_modules', 'keelson');
let files: string[] = [];

const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

beforeAll(() => {
  // the build is there already: packing must not replace it under tests that run beside this one
  const [packed] = JSON.parse(npm('pack', '--json', '--ignore-scripts', '--pack-destination', folder)) as {
    filename: string;
    files: { path: string }[];
  }[];
  files = packed?.files.map(({ path }) => path) ?? [];
  execFileSync('mkdir', ['-p', installed]);
  execFileSync('tar', ['-xzf', join(folder, packed?.filename ?? ''), '-C', installed, '--strip-components=1']);
  // its dependencies, as an installation would find them
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  test('holds the build, its types and the documents people look for, and no sources', () => {
    for (const file of [
      'package.json',
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'bin/keelson.cjs',
      'dist/index.js',
      'dist/testing.js',
      'dist/cli.cjs',
      'dist/types/index.d.ts',
      'dist/types/testing/index.d.ts',
    ]) {
      expect(files).toContain(file);
    }
    const allowed =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/keelson\.cjs|dist\/.+\.(c?js|c?js\.map|d\.ts))$/;
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(files.filter((file) => /test\.|contract|model\.d/.test(file))).toEqual([]);
  });

  test('can be imported and used', () => {
    const script = join(folder, 'use.mjs');
    writeFileSync(
      script,
      `import { createServer } from 'keelson';
       import { startTestServer } from 'keelson/testing';
       const test = await startTestServer();
       const server = await createServer();
       const answers = [await test.fetch('/readyz'), await server.fetch('/api/v1/namespaces/default')];
       console.log(JSON.stringify({ url: test.url.slice(0, 8), statuses: answers.map((a) => a.status) }));
       await test.close();
       await server.close();`,
    );
    expect(JSON.parse(execFileSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' }))).toEqual({
      url: 'https://',
      statuses: [200, 200],
    });
  });

  test('has a command', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const printed = execFileSync(process.execPath, [join(installed, 'bin/keelson.cjs'), 'version'], {
      encoding: 'utf8',
    });
    expect(printed).toBe(`keelson ${version}\n`);
  });

  describe('its compiled code', () => {
    const chunks = join(installed, 'dist/chunks');
    const run = (...lines: string[]) => {
      const script = join(folder, 'start.mjs');
      writeFileSync(script, ["import { createServer } from 'keelson';", ...lines].join('\n'));
      const { stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
      expect(stderr).toBe('');
      return stdout;
    };
    const start = () => run('await (await createServer()).close();');
    const caches = () => readdirSync(chunks).filter((file) => file.includes('.cache'));
    const times = () => caches().map((file) => statSync(join(chunks, file)).mtimeMs);

    beforeEach(() => {
      for (const file of caches()) rmSync(join(chunks, file), { recursive: true });
    });

    test('is left by the first process that starts a server and used by the next', () => {
      run();
      expect(caches()).toEqual([]);
      start();
      expect(caches().some((file) => file.startsWith('server-'))).toBe(true);
      const left = times();
      start();
      expect(times()).toEqual(left);
    });

    test('finds the libraries that are loaded when they are needed', () => {
      start();
      const answers = run(
        "const headers = { accept: 'application/yaml' };",
        'const server = await createServer();',
        "for (const path of ['/metrics', '/api/v1/namespaces/default'])",
        '  console.log((await server.fetch(path, { headers })).status);',
        'await server.close();',
      );
      expect(answers).toBe('200\n200\n');
    });

    test('is kept once, however many servers there are', () => {
      run('for (let i = 0; i < 12; i++) await (await createServer()).close();');
      expect(caches()).not.toEqual([]);
    });

    test('is made anew when it is no good', () => {
      start();
      for (const file of caches()) truncateSync(join(chunks, file), 100);
      start();
      expect(caches().map((file) => statSync(join(chunks, file)).size > 100)).not.toContain(false);
    });

    test('is done without where it cannot be kept', () => {
      start();
      const files = caches();
      for (const file of files) {
        rmSync(join(chunks, file));
        mkdirSync(join(chunks, file, 'in-the-way'), { recursive: true });
      }
      start();
      expect(caches()).toEqual(files);
    });

    test('does not stand in the way of source maps', () => {
      const script = join(folder, 'fail.mjs');
      writeFileSync(
        script,
        `import { createServer } from 'keelson';
         await createServer({ securePort: -1 }).catch((error) => console.log(error.stack));`,
      );
      const stack = execFileSync(process.execPath, ['--enable-source-maps', script], { encoding: 'utf8' });
      expect(stack).toMatch(/src\/server\/options\.ts:\d+/);
    });
  });

  test('its types satisfy a strict user', () => {
    writeFileSync(
      join(folder, 'use.ts'),
      `import { createServer, type Server, type ServerOptions } from 'keelson';
       import { FakeClock, startTestServer } from 'keelson/testing';
       const options: ServerOptions = { store: 'memory', securePort: 0, clock: new FakeClock() };
       export async function use(): Promise<string> {
         const server: Server = await createServer(options);
         await using other = await startTestServer({ listen: false });
         const answer: Response = await other.fetch('/version');
         return server.url + answer.status;
       }`,
    );
    const config = {
      compilerOptions: {
        strict: true,
        module: 'nodenext',
        target: 'es2023',
        lib: ['es2023', 'esnext.disposable'],
        noEmit: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        skipLibCheck: false,
      },
      files: ['use.ts'],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    expect(() => execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })).not.toThrow();
  });
});
