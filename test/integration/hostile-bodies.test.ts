// No body may keep other clients waiting: each of these was sent to a server that took seconds for it, and said nothing to
// any other client meanwhile.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HostileServer, maxWaitMs, startHostileServer } from './hostile-bodies.ts';
import { hostileBodies } from './hostile-requests.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

describe('another client is answered within 150 ms, while the server has', () => {
  test.each(hostileBodies)('$title', async ({ prepare, request, status }) => {
    if (prepare !== undefined) expect((await server.call(prepare)).status).toBeLessThan(300);
    const answer = await server.bestBeside(request);
    expect(answer.status, answer.body.slice(0, 500)).toBe(status);
    expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
  });
});
