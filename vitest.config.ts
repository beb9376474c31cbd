import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { Progress } from './test/progress.ts';
import { UnfinishedFiles } from './test/unfinished-files.ts';

const file = (path: string) => join(import.meta.dirname, path);

/** Threads of the servers that integration tests start. */
const hasThreads = !['', '1'].includes(process.env['KEELSON_THREADS'] ?? '');

/** Examples import the package by its name. */
const resolve = {
  alias: [
    { find: /^keelson$/, replacement: file('src/index.ts') },
    ...(hasThreads
      ? [{ find: /^(\.\.\/)+src\/testing\/index\.ts$/, replacement: file('test/integration/servers-of-threads.ts') }]
      : []),
  ],
};

/** The part of `npm test` that this run is. */
const phase = process.env['KEELSON_TEST_PHASE'];

/** How long a test waits for what is bound to happen: the machine may have much else to do. */
const patience = { poll: { timeout: 30_000 } };

/** Values of property tests are the same in each run. */
const setupFiles = [join(import.meta.dirname, 'test/fuzz-seed.ts')];

/** Servers that tests start by the command: a busy machine must not add threads to them, whose clients are then sent off. */
const env: Record<string, string> = { KEELSON_THREADS: process.env['KEELSON_THREADS'] ?? '1' };

/** Files share a process, and with it the modules they load: loading them anew for each takes longer than the tests. */
const project = (name: string, include: string[], testTimeout = 60_000) => ({
  resolve,
  test: {
    name,
    include,
    testTimeout,
    hookTimeout: testTimeout,
    isolate: false,
    expect: patience,
    setupFiles,
    env: { ...env },
  },
});

/** The tests of the transport, once more on Node's implementation of HTTP/2. */
const transport = ['http2-session', 'hostile-clients', 'flow-control', 'frames-of-any-kind', 'node-clients'];
const onNodeHttp2 = project(
  'node-http2',
  transport.map((name) => `src/transport/http2/${name}.test.ts`),
);
onNodeHttp2.test.env['KEELSON_TESTED_HTTP2'] = 'node';

/** Tests that measure how long a client waits, without the time in which it or the server had no processor: when no other test runs. */
const timed = 'test/integration/hostile-*.test.ts';

export default defineConfig({
  test: {
    maxWorkers: '100%',
    // transformed modules stay in node_modules: a second run of one file begins in half the time
    experimental: { fsModuleCache: process.env['CI'] === undefined },
    reporters: ['default', new UnfinishedFiles(), ...(phase === undefined ? [] : [new Progress(phase)])],
    projects: [
      project('unit', ['src/**/*.test.ts', 'test/*.test.ts']),
      onNodeHttp2,
      {
        resolve,
        test: {
          ...project('integration', ['test/integration/**/*.test.ts']).test,
          exclude: [timed],
        },
      },
      {
        resolve,
        test: {
          ...project('console', ['test/console/**/*.test.ts']).test,
          globalSetup: [file('test/console/build.ts')],
        },
      },
      project('interop', ['test/interop/**/*.test.ts'], 160_000),
      {
        test: {
          ...project('timed', [timed]).test,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
