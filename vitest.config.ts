import { defineConfig } from 'vitest/config';

/** Files share a process, and with it the modules they load: loading them anew for each takes longer than the tests. */
const project = (name: string, include: string[], testTimeout = 60_000) => ({
  test: { name, include, testTimeout, hookTimeout: testTimeout, isolate: false },
});

export default defineConfig({
  test: {
    maxWorkers: '100%',
    projects: [
      project('unit', ['src/**/*.test.ts', 'test/architecture.test.ts']),
      project('integration', ['test/integration/**/*.test.ts'], 60_000),
      project('interop', ['test/interop/**/*.test.ts'], 160_000),
    ],
  },
});
