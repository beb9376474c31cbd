// No header may keep other clients waiting, whatever it is made of: paths that anyone may read are asked for with each.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HostileServer, maxWaitMs, startHostileServer } from './hostile-bodies.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.close());

const length = 50_000;
const filled = (part: string, from = length) => part.repeat(from / part.length);

const accepted: Readonly<Record<string, string>> = {
  'any type, and then as many types': filled('*/*,', length / 2) + filled('a/b,', length / 2),
  'types by rising quality': Array.from({ length: length / 12 }, (_, i) => `a/b;q=.${10_000 + i}`).join(','),
  parameters: `a/b;${filled('x=y;')}`,
  blanks: `a${filled(' ')}b`,
};

describe('another client is answered within 150 ms, while the server reads', () => {
  describe.each(Object.entries(accepted))('an Accept header of %s', (_, accept) => {
    test.each(['/api', '/apis', '/version', '/openapi/v2', '/openapi/v3', '/statusz', '/api/v1/nodes'])(
      'for %s',
      async (path) => {
        const answer = await server.bestBeside(() => ({ method: 'GET', path, headers: { accept } }));
        expect([200, 406], answer.body.slice(0, 500)).toContain(answer.status);
        expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
      },
    );
  });

  test.each(['/apis', '/api/v1', '/openapi/v3', ''])('%s with a path of slashes', async (root) => {
    const answer = await server.bestBeside(() => ({ method: 'GET', path: `${root}${filled('/')}x` }));
    expect([301, 404]).toContain(answer.status);
    expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
  });

  test.each([`a${filled(' ')}b`, `Bearer ${filled('e.')}`])('credentials of odd text', async (authorization) => {
    const answer = await server.bestBeside(() => ({ method: 'GET', path: '/version', headers: { authorization } }));
    expect([200, 401]).toContain(answer.status);
    expect(answer.longestWaitMs).toBeLessThan(maxWaitMs);
  });
});
