// How many threads serve requests, and which requests have a thread of their own.

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
  /**
   * Requests whose body, or whose stored object, has more bytes are served by a thread of their own, so that others do not
   * wait for them. 0, also when not given: each thread serves all. Needs what several threads need, and has no effect without.
   */
  readonly largeRequestBytes?: number;
}

export interface ThreadConfig {
  readonly atStart: number;
  readonly most: number;
  /** Larger requests move to the lane; undefined without a lane. */
  readonly largeBytes: number | undefined;
  /** The options of further threads; undefined without threads. */
  readonly options: ServerOptions | undefined;
}

/** What the command uses. */
export const usualLargeBytes = 128 * 1024;

const maxThreads = 64;
const oneThread: ThreadConfig = { atStart: 1, most: 1, largeBytes: undefined, options: undefined };

export function resolveThreads(options: ServerOptions): ThreadConfig {
  const { threads = 1 } = options;
  if (threads !== 'auto' && (!Number.isSafeInteger(threads) || threads < 1 || threads > maxThreads))
    throw new OptionError(`threads: ${JSON.stringify(threads)} is neither auto nor a number from 1 to ${maxThreads}`);
  const most = threads === 'auto' ? Math.min(availableParallelism(), maxThreads) : threads;
  const largeBytes = largeBytesOf(options);
  if (most === 1 && largeBytes === undefined) return oneThread;
  const problem = obstacle(options);
  if (problem === undefined)
    return { atStart: threads === 'auto' ? 1 : threads, most, largeBytes, options: withoutOwn(options) };
  if (threads === 'auto' || threads === 1) return oneThread;
  throw new OptionError(`threads: ${threads} threads need ${problem}`);
}

function largeBytesOf({ largeRequestBytes = 0 }: ServerOptions): number | undefined {
  if (!Number.isSafeInteger(largeRequestBytes) || largeRequestBytes < 0)
    throw new OptionError(`largeRequestBytes: ${JSON.stringify(largeRequestBytes)} is not a number of bytes`);
  return largeRequestBytes === 0 ? undefined : largeRequestBytes;
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
