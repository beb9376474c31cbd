// A test server for the tests of a file, in any runner: started before the first, reset after each, closed after the last.

import { matchers } from './matchers.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';

export { matchers };

/** The hooks of a runner. */
export interface TestHooks {
  beforeAll(run: () => Promise<void>): void;
  afterEach(run: (context: unknown) => Promise<void>): void;
  afterAll(run: () => Promise<void>): void;
  /** Whether the test of `afterEach` has failed; false where the runner does not show it. */
  hasFailed(context: unknown): boolean;
}

/** Runners give a hook a few seconds, which a busy machine may need for more than a start. */
export const startTimeoutMs = 60_000;

export function useTestServerWith(hooks: TestHooks, options: TestServerOptions = {}): TestServer {
  let server: TestServer | undefined;
  hooks.beforeAll(async () => {
    server = await startTestServer(options);
  });
  hooks.afterEach(async (context) => {
    if (server === undefined) return;
    if (hooks.hasFailed(context)) printJournal(server);
    await server.reset();
  });
  hooks.afterAll(async () => {
    await server?.close();
    server = undefined;
  });
  return new Proxy({} as TestServer, {
    get(_, name) {
      if (server === undefined) throw new Error('the test server runs while tests and their hooks run, not before');
      const value = Reflect.get(server, name, server) as unknown;
      return typeof value === 'function' ? (value.bind(server) as unknown) : value;
    },
  });
}

function printJournal(server: TestServer): void {
  const text = server.journal.text();
  console.error(text === '' ? 'keelson: the server received no requests' : `keelson: the last requests were\n${text}`);
}
