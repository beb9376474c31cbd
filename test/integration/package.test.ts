// What `npm pack` ships: the built package works for those who install it, and holds nothing else.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
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
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { credentialsOf } from './credentials.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'keelson-pack-'));
const installed = join(folder, 'node_modules', 'keelson');
let files: string[] = [];

const npm = (...args: string[]) =>
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

beforeAll(() => {
  // the build is there already: packing must not replace it under tests that run next to this one
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
      'dist/console/index.html',
      'dist/openapi/index.json',
      'dist/openapi/v2.json.gz',
      'dist/types/index.d.ts',
      'dist/types/testing/index.d.ts',
      'docs/README.md',
      'docs/guides/quick-start.md',
      'deploy/compose.yaml',
    ]) {
      expect(files).toContain(file);
    }
    const allowed =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/keelson\.cjs|docs\/.+\.md|deploy\/[\w.-]+|dist\/.+\.(c?js|c?js\.map|d\.ts)|dist\/openapi\/(index\.json|v[23][\w.-]*\.gz)|dist\/console\/(assets\/)?[\w.-]+)$/;
    expect(files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(files.filter((file) => /\.test\.|contract|model\.d/.test(file))).toEqual([]);
  });

  test('has no script that npm runs where it is installed, and packing changes no file of the checkout', () => {
    const manifest = readFileSync(join(installed, 'package.json'), 'utf8');
    expect(manifest).toBe(readFileSync(join(root, 'package.json'), 'utf8'));
    const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
    // npm builds a checkout by this one when it has changed what is installed there
    expect(scripts['dependencies']).toContain('build.mjs');
    const installing = /^(pre|post)?(install|prepare|prepublish|uninstall)$|^postpack$/;
    expect(Object.keys(scripts).filter((name) => installing.test(name))).toEqual([]);
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

  test('maps stack traces to its sources where that is asked for', () => {
    const script = join(folder, 'fail.mjs');
    writeFileSync(
      script,
      `import { createServer } from 'keelson';
       await createServer({ securePort: -1 }).catch((error) => console.log(error.stack));`,
    );
    const stack = execFileSync(process.execPath, ['--enable-source-maps', script], { encoding: 'utf8' });
    expect(stack).toMatch(/src\/config\/options\.ts:\d+/);
  });

  describe('the compiled code of its command', () => {
    const chunks = join(installed, 'dist/chunks');
    const data = join(folder, 'data');
    const caches = () => readdirSync(chunks).filter((file) => file.includes('.cache'));
    const times = () => caches().map((file) => statSync(join(chunks, file)).mtimeMs);

    /** Runs the command until it is ready, then `use`, and stops it. */
    async function start(use = async () => {}, ...flags: string[]): Promise<void> {
      const command = [join(installed, 'bin/keelson.cjs'), '--data-dir', data, '--secure-port=0', ...flags];
      // also where the tests themselves run with a plain runtime
      const env = { ...process.env, KEELSON_PLAIN_RUNTIME: '' };
      const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const errors: Buffer[] = [];
      child.stderr.on('data', (part: Buffer) => errors.push(part));
      const exited = once(child, 'close');
      let text = '';
      for await (const part of child.stdout) {
        text += String(part);
        if (text.includes('get namespaces')) break;
      }
      try {
        await use();
      } finally {
        child.kill();
        expect(await exited).toEqual([0, null]);
      }
      // a log line is no complaint of Node's
      expect(
        Buffer.concat(errors)
          .toString()
          .replaceAll(/^\{.*\}\n/gm, ''),
      ).toBe('');
    }

    async function statusOf(path: string): Promise<number | undefined> {
      const kubeconfig = readFileSync(join(data, 'kubeconfig'), 'utf8');
      const [url] = /https:\/\/127\.0\.0\.1:\d+/.exec(kubeconfig) ?? [];
      const options = { ...credentialsOf(kubeconfig), headers: { accept: 'application/yaml' }, agent: false };
      const [response] = (await once(request(`${url}${path}`, options).end(), 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    }

    beforeEach(() => {
      for (const file of caches()) rmSync(join(chunks, file), { recursive: true });
    });

    test('is left by the first process that starts a server and used by the next', async () => {
      execFileSync(process.execPath, [join(installed, 'bin/keelson.cjs'), 'version']);
      expect(caches()).toEqual([]);
      await start();
      expect(caches().some((file) => file.startsWith('create-server-'))).toBe(true);
      const left = times();
      await start();
      expect(times()).toEqual(left);
    });

    test('is neither used nor left with a plain runtime', async () => {
      await start(async () => {}, '--plain-runtime');
      expect(caches()).toEqual([]);
    });

    test('finds the libraries that are loaded when they are needed', async () => {
      await start();
      const statuses: unknown[] = [];
      await start(async () => {
        for (const path of ['/metrics', '/api/v1/namespaces/default']) statuses.push(await statusOf(path));
      });
      expect(statuses).toEqual([200, 200]);
    });

    test('is made again when it is no good', async () => {
      await start();
      for (const file of caches()) truncateSync(join(chunks, file), 100);
      await start();
      expect(caches().map((file) => statSync(join(chunks, file)).size > 100)).not.toContain(false);
    });

    test('is done without where it cannot be kept', async () => {
      await start();
      const files = caches();
      for (const file of files) {
        rmSync(join(chunks, file));
        mkdirSync(join(chunks, file, 'in-the-way'), { recursive: true });
      }
      await start();
      expect(caches()).toEqual(files);
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
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, '']);
  });
});
