// Node's own root certificates, read by another thread while this one loads the server.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * Before it takes our first authority for client certificates, Node reads the 140 and more it trusts itself, once in a
 * process: a sixth of a start. Undefined where that is done already, or where it could only be done instead of loading.
 */
export function readRootCertificates(
  env: NodeJS.ProcessEnv = process.env,
  threads = availableParallelism(),
): Worker | undefined {
  // with certificates in addition Node reads all of them before it runs anything
  if (env['NODE_EXTRA_CA_CERTS'] || threads < 2) return undefined;
  // what the process was told to load first is loaded already: not once more in here
  const bare = { env: {}, execArgv: [] };
  const thread = new Worker("require('node:tls').createSecureContext()", { eval: true, ...bare });
  // nothing is lost: they are then read when they are needed
  thread.on('error', () => {});
  thread.unref();
  return thread;
}
