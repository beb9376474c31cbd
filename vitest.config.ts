import { defineConfig } from 'vitest/config';

const project = (name: string, include: string[], testTimeout = 60_000) => ({
  test: { name, include, testTimeout, hookTimeout: testTimeout },
});

export default defineConfig({
  test: {
    projects: [
      project('unit', ['src/**/*.test.ts', 'test/architecture.test.ts']),
      project('integration', ['test/integration/**/*.test.ts'], 60_000),
      project('interop', ['test/interop/**/*.test.ts'], 160_000),
    ],
  },
});
