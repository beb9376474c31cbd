// The page of open watches: whose they are, what they were sent, and how far their clients are behind, on all threads.

import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { OpenWatches } from '../../src/handlers/watch/open-watches.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { collection, withThreads } from './several-threads.ts';

const path = '/debug/keelson/watches';

test('a watch is shown with its user, program, selectors and bytes, until it ends', async () => {
  await using server = await startTestServer({ controllers: [] });
  const read = async () => (await (await server.fetch(path)).json()) as OpenWatches;
  const ends = new AbortController();
  const query = 'watch=1&labelSelector=app%20in%20(web)&fieldSelector=metadata.name%3Dweb';
  const answer = await server.fetch(`${collection}?${query}`, {
    user: { name: 'jane', groups: ['system:masters'] },
    headers: { 'user-agent': `watcher/1.0 ${'x'.repeat(500)}` },
    signal: ends.signal,
  });
  const reader = answer.body?.getReader();
  const first = reader?.read();
  await expect.poll(async () => (await read()).watches.map(({ user }) => user)).toContain('jane');
  await server.fetch(collection, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name: 'web', labels: { app: 'web' } }, data: {} }),
  });
  await first;
  const jane = (await read()).watches.find(({ user }) => user === 'jane');
  expect(jane).toMatchObject({ group: '', version: 'v1', resource: 'configmaps', namespace: 'default' });
  expect(jane?.selector).toContain('app');
  expect(jane?.selector).toContain('metadata.name=web');
  expect(jane?.userAgent).toHaveLength(128);
  expect(jane?.sentBytes).toBeGreaterThan(100);
  expect(Math.abs((jane?.since ?? 0) - server.clock.now())).toBeLessThan(60_000);
  ends.abort();
  await reader?.cancel().catch(() => {});
  await expect.poll(async () => (await read()).watches.map(({ user }) => user)).not.toContain('jane');
});

test('open watches need the right to their path, and are only read', async () => {
  await using server = await startTestServer({ authorizationModes: ['RBAC'], controllers: [] });
  const user = { name: 'jane', groups: ['system:authenticated'] };
  expect((await server.fetch(path, { user })).status).toBe(403);
  expect((await server.fetch(path, { method: 'DELETE' })).status).toBe(405);
});

test('a thousand watches are shown in part, and counted', async () => {
  await using server = await startTestServer({ controllers: [] });
  const ends = new AbortController();
  setMaxListeners(0, ends.signal);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, () => server.fetch(`${collection}?watch=1`, { signal: ends.signal })),
  );
  for (const { body } of answers)
    void body
      ?.getReader()
      .read()
      .catch(() => {});
  const read = async () => (await (await server.fetch(path)).json()) as OpenWatches;
  await expect.poll(async () => (await read()).total).toBeGreaterThanOrEqual(1000);
  expect((await read()).watches).toHaveLength(500);
  ends.abort();
});

test('the watches of all threads are shown, whichever thread answers', () =>
  withThreads(3, async ({ connect }) => {
    const clients = Array.from({ length: 6 }, () => connect());
    for (const [at, client] of clients.entries())
      void client
        .call('GET', `${collection}?watch=1&labelSelector=number%3D${at}`, undefined, { 'user-agent': `client-${at}` })
        .catch(() => {});
    const names = clients.map((_, at) => `client-${at}`);
    for (const client of clients.slice(0, 4))
      await expect
        .poll(async () => {
          const { body } = await client.call('GET', path);
          return (body as OpenWatches).watches
            .map(({ userAgent }) => userAgent)
            .filter((one) => one.startsWith('client-'));
        })
        .toEqual(expect.arrayContaining(names));
  }));
