// `keelson/vitest`: a test server for the tests of a file, and matchers.
//
//   const server = useTestServer({ manifests: ['crds/'] });

import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { matchers, startTimeoutMs, useTestServerWith } from './fixture.ts';
import type { KeelsonMatchers } from './matchers.ts';
import type { TestServer, TestServerOptions } from './test-server.ts';

declare module 'vitest' {
  interface Matchers<T> extends KeelsonMatchers<T> {}
}

expect.extend(matchers as Parameters<typeof expect.extend>[0]);

interface VitestContext {
  readonly task?: { readonly result?: { readonly state?: string } };
}

export function useTestServer(options: TestServerOptions = {}): TestServer {
  const hooks = {
    beforeAll: (run: () => Promise<void>) => beforeAll(run, startTimeoutMs),
    afterEach,
    afterAll,
    hasFailed: (context: unknown) => (context as VitestContext).task?.result?.state === 'fail',
  };
  return useTestServerWith(hooks, options);
}
