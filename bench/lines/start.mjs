// Ready time and idle memory: both of servers that have just been started, on fresh data folders, one at a time.
import { setTimeout as delay } from 'node:timers/promises';
import { spawnBare } from '../processes/bare.mjs';
import { createCertificate } from '../processes/certificate.mjs';
import { spawnKeelson } from '../processes/keelson.mjs';
import { freePort, waitUntilReady } from '../processes/ready.mjs';
import { residentMiB } from '../processes/usage.mjs';
import { alternate } from '../quiet.mjs';
import { median, spread } from '../stats.mjs';

/** What "idle" means: this long after being ready. */
const IDLE_MS = 3000;

/** Milliseconds from spawn() to the first 200 of /readyz. */
export function measureReady({ scope, command, pace }) {
  return overStarts({ scope, command, starts: pace.starts, read: async ({ readyMs }) => readyMs });
}

export function measureIdleMemory({ scope, command, pace }) {
  const read = async ({ child }) => {
    await delay(IDLE_MS);
    return residentMiB(child.pid);
  };
  return overStarts({ scope, command, starts: pace.fresh, read });
}

async function overStarts({ scope, command, starts, read }) {
  const pair = await createCertificate();
  const begin = {
    bare: async (port) => (await spawnBare({ scope, port, pair })).child,
    keelson: async (port) => spawnKeelson({ scope, command, port }).child,
  };
  const { stolen, made, ...values } = await alternate(starts, (side) => once({ scope, begin: begin[side], read }));
  return { ...absolute(values), stolen, made };
}

/** Starts a server, reads something of it, and stops it. */
export async function once({ scope, begin, read }) {
  const port = await freePort();
  const started = performance.now();
  const child = await begin(port);
  try {
    await waitUntilReady(child, port);
    return await read({ child, readyMs: performance.now() - started });
  } finally {
    await scope.stop(child);
  }
}

/** Starts on a data folder, in empty starts: each is compared with the empty one before it. */
export async function measureStarts({ scope, command, pace }, dataDir) {
  const start = (folder) =>
    once({
      scope,
      begin: async (port) => spawnKeelson({ scope, command, port, ...(folder ? { dataDir: folder } : {}) }).child,
      read: async ({ readyMs }) => readyMs,
    });
  const values = [];
  for (let round = 0; round < pace.starts; round += 1) {
    const empty = await start();
    values.push((await start(dataDir)) / empty);
  }
  return { value: median(values), spread: spread(values), rounds: { keelson: values } };
}

/** An outcome in its own unit; bare's is shown for comparison and is no part of the target. */
export function absolute({ bare, keelson }) {
  return { value: median(keelson), bare: median(bare), spread: spread(keelson), rounds: { keelson, bare } };
}
