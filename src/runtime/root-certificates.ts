// Node's own root certificates, read by another thread while this one loads the server.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { isPlainRuntime } from './plain-runtime.ts';

/**
 * Before it takes our first authority for client certificates, Node reads the 140 and more it trusts itself, once in a
 * process: a tenth of a start. Undefined where that is done already, or where it could only be done instead of loading. For
 * the command, before anything else: that Node shares them between threads is not documented.
 */
export function readRootCertificates({
  env = process.env,
  threads = availableParallelism(),
  isPlain = isPlainRuntime,
}: {
  readonly env?: NodeJS.ProcessEnv;
  readonly threads?: number;
  readonly isPlain?: boolean;
} = {}): Worker | undefined {
  if (isPlain) return undefined;
  // with certificates in addition Node reads all of them before it runs anything
  if (env['NODE_EXTRA_CA_CERTS'] || threads < 2) return undefined;
  // modules that the process preloads are loaded already: not once more in here
  const bare = { env: {}, execArgv: [] };
  const thread = new Worker("require('node:tls').createSecureContext()", { eval: true, ...bare });
  // nothing is lost: they are then read when they are needed
  thread.on('error', () => {});
  thread.unref();
  return thread;
}
