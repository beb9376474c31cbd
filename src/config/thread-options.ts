// How many threads serve requests.

import { availableParallelism } from 'node:os';
import { OptionError } from './option-error.ts';
import type { ServerOptions } from './options.ts';

export interface ThreadOptions {
  /**
   * Threads that serve requests on one data folder or etcd: a number, 1 when not given, or `auto` to begin with one and
   * add others, up to the number of cores, while all are busy. More than one needs `dataDir`, options that are plain data,
   * and a system on which threads can share a port.
   */
  readonly threads?: number | 'auto';
}

export interface ThreadConfig {
  readonly atStart: number;
  readonly most: number;
  /** What further threads get; undefined where one thread serves. */
  readonly options: ServerOptions | undefined;
}

const maxThreads = 64;
const oneThread: ThreadConfig = { atStart: 1, most: 1, options: undefined };

export function resolveThreads(options: ServerOptions): ThreadConfig {
  const { threads = 1 } = options;
  if (threads !== 'auto' && (!Number.isSafeInteger(threads) || threads < 1 || threads > maxThreads))
    throw new OptionError(`threads: ${JSON.stringify(threads)} is neither auto nor a number from 1 to ${maxThreads}`);
  const most = threads === 'auto' ? Math.min(availableParallelism(), maxThreads) : threads;
  if (most === 1) return oneThread;
  const problem = obstacle(options);
  if (problem === undefined) return { atStart: threads === 'auto' ? 1 : threads, most, options: withoutOwn(options) };
  if (threads === 'auto') return oneThread;
  throw new OptionError(`threads: ${threads} threads need ${problem}`);
}

/** What further threads have of their own. */
function withoutOwn({ log: _log, threads: _threads, ...options }: ServerOptions): ServerOptions {
  return options;
}

/** What is missing for a second thread. */
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
