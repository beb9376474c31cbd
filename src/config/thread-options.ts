// How many threads serve requests, and which requests have a thread of their own.

import { availableParallelism } from 'node:os';
import { OptionError } from './option-error.ts';
import type { ResolvedOptions, ServerOptions } from './server-options.ts';

export interface ThreadConfig {
  readonly atStart: number;
  readonly most: number;
  /** Larger requests move to the lane; undefined without a lane. */
  readonly largeBytes: number | undefined;
  /** The options of further threads; undefined without threads. */
  readonly options: ServerOptions | undefined;
}

const maxThreads = 64;
const oneThread: ThreadConfig = { atStart: 1, most: 1, largeBytes: undefined, options: undefined };

export function resolveThreads(
  options: ServerOptions,
  resolved: Pick<ResolvedOptions, 'threads' | 'largeRequestBytes'>,
): ThreadConfig {
  const { threads, largeRequestBytes } = resolved;
  if (threads !== 'auto' && (!Number.isSafeInteger(threads) || threads < 1 || threads > maxThreads))
    throw new OptionError(`threads: ${JSON.stringify(threads)} is neither auto nor a number from 1 to ${maxThreads}`);
  const most = threads === 'auto' ? Math.min(availableParallelism(), maxThreads) : threads;
  const largeBytes = largeRequestBytes === 0 ? undefined : largeRequestBytes;
  if (most === 1 && largeBytes === undefined) return oneThread;
  const problem = obstacle(options);
  if (problem === undefined)
    return { atStart: threads === 'auto' ? 1 : threads, most, largeBytes, options: withoutOwn(options) };
  if (threads === 'auto' || threads === 1) return oneThread;
  throw new OptionError(`threads: ${threads} threads need ${problem}`);
}

/** What further threads have of their own. */
function withoutOwn({
  log: _log,
  threads: _threads,
  largeRequestBytes: _bytes,
  ...options
}: ServerOptions): ServerOptions {
  return options;
}

/** The option that prevents a second thread. */
function obstacle(options: ServerOptions): string | undefined {
  const { store = options.etcdServers === undefined ? 'memory' : 'etcd' } = options;
  if (store !== 'embedded' && store !== 'etcd') return 'the embedded store or etcd';
  if (options.dataDir === undefined) return 'dataDir, which holds the keys that all of them use';
  if (options.clock !== undefined) return 'the clock of the system';
  try {
    structuredClone(withoutOwn(options));
  } catch {
    return 'options that are plain data, without functions';
  }
  return undefined;
}
