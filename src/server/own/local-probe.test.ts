import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startTestServer } from '../../testing/index.ts';
import { probeLocally } from './local-probe.ts';

test('a part that answers is well, and one that says something else is not', async () => {
  await using server = await startTestServer();
  const port = Number(new URL(server.url).port);
  expect(await probeLocally(port, '/healthz')).toBeUndefined();
  expect(await probeLocally(port, '/nowhere')).toMatch(
    /^Get "https:\/\/127\.0\.0\.1:\d+\/nowhere": unexpected status 40[134]$/,
  );
});

test('a part that is not there is said not to be', async () => {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  expect(await probeLocally(port, '/healthz')).toBe(
    `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  );
});
