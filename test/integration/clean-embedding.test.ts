// Embedding Keelson leaves the host process and the installed package as they were: only the command may tune its process.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'keelson-host-'));
const installed = join(folder, 'node_modules', 'keelson');

beforeAll(() => {
  mkdirSync(installed, { recursive: true });
  cpSync(join(root, 'package.json'), join(installed, 'package.json'));
  // without what a command that ran from this checkout has kept
  cpSync(join(root, 'dist'), join(installed, 'dist'), {
    recursive: true,
    filter: (path) => !path.includes('.cache') && !path.endsWith('.map') && !path.includes('/types'),
  });
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a host can see of its process; the tag of V8 is derived from the flags that are in force. */
const observe = `
import { createRequire } from 'node:module';
const v8 = createRequire(import.meta.url)('node:v8');
const calls = [];
const note = (what) => (target, name) => (calls.push(what + ' ' + String(name)), true);
process.env = new Proxy(process.env, { set: note('env set'), deleteProperty: note('env delete') });
v8.setFlagsFromString = (flag) => calls.push('flag ' + flag);
const observe = () => ({
  calls: [...calls],
  env: { ...process.env },
  execArgv: [...process.execArgv],
  v8Flags: v8.cachedDataVersionTag(),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  // the library of the embedded store has globals of its own
  globals: Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__lmdb_')),
  stackTraceLimit: Error.stackTraceLimit,
  umask: process.umask(),
  workingFolder: process.cwd(),
});`;

interface Observation {
  readonly before: object;
  readonly after: object;
  /** Without listeners, of which this is one. */
  readonly atExit: object;
}

/** Runs a host program and returns what it saw before and after its own lines. */
function host(...lines: string[]): Observation {
  const script = join(folder, 'host.mjs');
  const program = [
    observe,
    'const before = observe();',
    ...lines,
    'const after = observe();',
    "process.on('exit', () => {",
    '  const { listeners, ...atExit } = observe();',
    '  process.stdout.write(JSON.stringify({ before, after, atExit }));',
    '});',
  ];
  writeFileSync(script, program.join('\n'));
  const { stdout, stderr } = spawnSync(process.execPath, [script], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Observation;
}

/** Every file of the package with its size and the time it was last written. */
function packageFiles(): string[] {
  return readdirSync(installed, { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.startsWith('node_modules'))
    .map((file) => {
      const { size, mtimeMs } = statSync(join(installed, file));
      return `${file} ${size} ${mtimeMs}`;
    });
}

describe('a host process', () => {
  test.each([
    ['importing keelson', ["await import('keelson');"]],
    ['importing keelson/testing', ["await import('keelson/testing');"]],
    [
      'a test server with a port',
      ["const { startTestServer } = await import('keelson/testing');", 'await (await startTestServer()).close();'],
    ],
    [
      'a dozen servers in a row',
      [
        "const { createServer } = await import('keelson');",
        'for (let i = 0; i < 12; i++) await (await createServer()).close();',
      ],
    ],
    [
      'a server with the embedded store',
      [
        "const { createServer } = await import('keelson');",
        `const server = await createServer({ store: 'embedded', dataDir: ${JSON.stringify(join(folder, 'data'))} });`,
        'await server.listen();',
        'await server.close();',
      ],
    ],
  ])('is not changed by %s', (_, lines) => {
    const files = packageFiles();
    const { before, after, atExit } = host(...lines);
    expect(after).toEqual(before);
    expect(before).toMatchObject(atExit);
    expect(packageFiles()).toEqual(files);
  });
});
