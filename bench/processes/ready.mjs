// Finds a free port, and asks a server on it every few milliseconds whether it is ready.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../generator/connection.mjs';
import { deferred } from '../generator/deferred.mjs';
import { encodeRequest } from '../generator/hpack.mjs';

const POLL_MS = 5;
const READY_MS = 30_000;

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves at the first 200 of /readyz; fails when the child ends first or takes too long. */
export async function waitUntilReady(child, port) {
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`the server ended early: ${child.tail}`);
    if (await isReady(port)) return;
    await delay(POLL_MS);
  }
  throw new Error(`the server was not ready after ${READY_MS} ms: ${child.tail}`);
}

/** A refused connection costs nearly nothing; the certificate is not known yet, and nothing secret is sent. */
async function isReady(port) {
  const answer = deferred();
  const handlers = { headers: (_, status) => answer.resolve(status === 200), failed: () => answer.resolve(false) };
  try {
    const connection = await Connection.open({ port, rejectUnauthorized: false }, handlers);
    connection.send(encodeRequest({ authority: `127.0.0.1:${port}`, path: '/readyz' }));
    connection.flush();
    const isOk = await answer.promise;
    connection.close();
    return isOk;
  } catch {
    return false;
  }
}
