// `keelson/node-test`: a test server for the tests of a file of node:test.
//
//   const server = useTestServer({ manifests: ['crds/'] });

import { after, afterEach, before } from 'node:test';
import { useTestServerWith } from './fixture.ts';
import type { TestServer, TestServerOptions } from './test-server.ts';

export function useTestServer(options: TestServerOptions = {}): TestServer {
  const hooks = {
    beforeAll: (run: () => Promise<void>) => before(run),
    afterEach: (run: (context: unknown) => Promise<void>) => afterEach((context) => run(context)),
    afterAll: (run: () => Promise<void>) => after(run),
    // Node 20.12 and newer have it
    hasFailed: (context: unknown) => (context as { readonly passed?: boolean }).passed === false,
  };
  return useTestServerWith(hooks, options);
}
