// Keelson inside the tests of other programs: real semantics, started in a moment, gone at the closing brace.
//
//   await using server = await startTestServer();
//   const answer = await server.fetch('/api/v1/namespaces');

import type { ServerOptions } from '../config/options.ts';
import { createServer, type Server } from '../server/server.ts';

export { FakeClock } from './fake-clock.ts';

export interface TestServerOptions extends ServerOptions {
  /** Whether to open a port; with `false` only `fetch` works, which starts faster. */
  readonly listen?: boolean;
}

/** A server on the memory store and a free port, unless told otherwise. */
export async function startTestServer({ listen = true, ...options }: TestServerOptions = {}): Promise<Server> {
  const server = await createServer({ store: 'memory', shutdownGraceSeconds: 1, ...options });
  if (!listen) return server;
  try {
    await server.listen();
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
