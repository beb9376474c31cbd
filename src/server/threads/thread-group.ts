// The other threads of a server: started, called, and ended. The main thread is not among them.

import type { AddressInfo, Server as NetServer } from 'node:net';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Auditor } from '../../audit/auditor.ts';
import type { LogSettings } from '../../base/log-levels.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { SharedCounts } from '../../base/shared-counts.ts';
import type { ThreadConfig } from '../../config/thread-options.ts';
import type { Sessions } from '../../console/sessions.ts';
import type { OpenWatches } from '../../handlers/watch/open-watches.ts';
import type { MetricSnapshot } from '../../metrics/metric-snapshot.ts';
import type { ThreadUse } from '../../metrics/thread-metrics.ts';
import { ConnectionDoor } from '../../runtime/connection-door.ts';
import { holdStartFlags } from '../../runtime/young-generation.ts';
import type { Store } from '../../storage/store.ts';
import { CommitService } from '../../storage/threads/commit-service.ts';
import type { RevisionBoard } from '../../storage/threads/revision-board.ts';
import { PortCalls } from '../../threads/port-calls.ts';
import type { MainCalls, ServingCalls, ServingThreadData, SocketSource } from '../../threads/protocol.ts';
import type { RingQuery } from '../../trace/request-ring.ts';
import type { RecordedRequests } from '../recorded-requests.ts';
import type { LoggedConfig } from '../server-log.ts';
import type { ThreadHooks } from '../start/server-hooks.ts';

/** Next to the chunks of the build. */
export const builtProgram = new URL('../serving-thread.cjs', import.meta.url);

/** V8 keeps a third of it in reserve: two halves of 8 MiB, as the main thread has (`young-generation.ts`). */
const youngMb = 24;

/** A thread has this long to end, besides the time for requests under way. */
const endingMs = 10_000;

export interface ThreadParts {
  readonly config: LoggedConfig;
  readonly threads: ThreadConfig;
  /** The store as the data folder has it: what is encrypted stays so. Undefined where each thread has a connection to etcd. */
  readonly local: { readonly store: Store; readonly board: RevisionBoard; readonly folder: string } | undefined;
  readonly inFlight: SharedCounts;
  /** Of the web console, where that is on. */
  readonly sessions: Sessions | undefined;
  readonly audit: Auditor | undefined;
  /** Whether the program is the command, where internals of Node may be used. */
  readonly ownsProcess: boolean;
  readonly hooks: ThreadHooks;
  /** Those of all threads. */
  readonly requests: Pick<RecordedRequests, 'isOpen' | 'read' | 'add'>;
  /** The metrics of this thread and of the others, as text. */
  metrics(): Promise<string>;
  resetMetrics(): MaybePromise<void>;
  /** The open watches of all threads. */
  watches(): Promise<OpenWatches>;
  /** Why not all threads serve; undefined when they do. */
  problem(): string | undefined;
  /** A port to the lane for large requests. */
  connectLane(): Promise<MessagePort>;
}

export interface ServerThread {
  readonly index: number;
  readonly worker: Worker;
  readonly calls: PortCalls<MainCalls, ServingCalls>;
  /** For the connections that the main thread passes on; undefined where the thread accepts its own, or has none. */
  readonly door: ConnectionDoor | undefined;
  readonly startedAt: number;
  /** What the thread did since the last call, and its memory now. */
  use(): Promise<Omit<ThreadUse, 'thread'>>;
  readonly exited: Promise<Error | undefined>;
}

interface ThreadSocket {
  readonly source: SocketSource;
  readonly door: ConnectionDoor | undefined;
}

export class ThreadGroup {
  readonly #parts: ThreadParts;
  /** Those that are starting, too. */
  readonly #threads = new Map<number, ServerThread>();
  readonly #ready = new Set<number>();

  constructor(parts: ThreadParts) {
    this.#parts = parts;
  }

  /** The threads that serve, without one that has no socket. */
  get serving(): readonly ServerThread[] {
    return [...this.#threads.values()].filter(({ index }) => this.#ready.has(index));
  }

  get(index: number): ServerThread | undefined {
    return this.#ready.has(index) ? this.#threads.get(index) : undefined;
  }

  /** Metrics of all threads; one that ends meanwhile has none. */
  async snapshots(): Promise<readonly (readonly MetricSnapshot[])[]> {
    return Promise.all(this.serving.map(({ calls }) => calls.call('metrics', undefined).catch(() => [])));
  }

  /** The open watches of each thread; of one that ends meanwhile none. */
  async watches(): Promise<readonly OpenWatches[]> {
    const none = { watches: [], total: 0 };
    return Promise.all(this.serving.map(({ calls }) => calls.call('watches', undefined).catch(() => none)));
  }

  async resetMetrics(): Promise<void> {
    await Promise.all(this.serving.map(({ calls }) => calls.call('resetMetrics', undefined).catch(() => {})));
  }

  /** Everything that is logged by a thread follows. */
  setLog(settings: LogSettings): void {
    for (const { calls } of this.#threads.values()) calls.send('setLog', settings);
  }

  /** Clients begin to read requests, or stop. */
  recordRequests(isOpen: boolean): void {
    for (const { calls } of this.#threads.values()) calls.send('recordRequests', isOpen);
  }

  /** No thread is ready any more; all go on for now. */
  stopping(): void {
    for (const { calls } of this.#threads.values()) calls.send('stopping', undefined);
  }

  /** Each thread finishes what is under way there. */
  async close(): Promise<void> {
    await Promise.all([...this.#threads.values()].map((thread) => this.end(thread)));
  }

  /** A thread that does not end in time is cut off. */
  async end({ calls, door, exited, worker }: ServerThread): Promise<void> {
    await door?.emptied();
    calls.send('close', undefined);
    const { shutdownGraceMs, shutdownWatchGraceMs } = this.#parts.config;
    const graceMs = shutdownWatchGraceMs > 0 ? 2 * shutdownGraceMs + shutdownWatchGraceMs : shutdownGraceMs;
    const timer = setTimeout(() => void worker.terminate(), graceMs + endingMs);
    await exited;
    clearTimeout(timer);
  }

  /** Resolves when the thread serves, and throws when it ends before. Without a socket it is a lane. */
  async start(index: number, listening: readonly NetServer[] | undefined): Promise<ServerThread> {
    const socket = listening === undefined ? undefined : await this.#socket(listening);
    const channel = new MessageChannel();
    const commits = this.#commits();
    const releaseFlags = holdStartFlags();
    const worker = this.#worker(index, socket?.source, channel.port2, commits?.data);
    let onReady: () => void = () => {};
    const ready = new Promise<void>((resolve) => {
      onReady = resolve;
    });
    const calls = new PortCalls<MainCalls, ServingCalls>(channel.port1, this.#handlers(index, onReady, socket?.door));
    let failure: Error | undefined;
    worker.on('error', (error) => {
      failure = error;
    });
    const exited = new Promise<Error | undefined>((resolve) => {
      worker.once('exit', () => {
        socket?.door?.close();
        commits?.service.close();
        calls.close();
        this.#parts.inFlight.clear(index);
        this.#threads.delete(index);
        this.#ready.delete(index);
        resolve(failure);
      });
    });
    const utilization = utilizationOf(worker);
    const use = async () => ({
      load: utilization(),
      heapBytes: await calls.call('heapBytes', undefined).catch(() => 0),
    });
    const thread = { index, worker, calls, door: socket?.door, exited, startedAt: performance.now(), use };
    this.#threads.set(index, thread);
    const failed = exited.then(() => {
      throw failure ?? new Error('the thread ended before it served');
    });
    await Promise.race([ready, failed]).finally(releaseFlags);
    this.#ready.add(index);
    return thread;
  }

  #worker(
    index: number,
    socket: SocketSource | undefined,
    calls: MessagePort,
    store: ServingThreadData['store'],
  ): Worker {
    const { threads, config, inFlight, sessions } = this.#parts;
    const data: ServingThreadData = {
      ...{ index, socket, calls, store },
      options: threads.options ?? {},
      largeBytes: socket === undefined ? undefined : threads.largeBytes,
      inFlight: { rows: threads.most + 1, memory: inFlight.memory },
      sessionMemory: sessions?.memory,
      logSettings: config.log.levels.settings,
      recordsRequests: this.#parts.requests.isOpen,
    };
    const processHeapMb = Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20);
    const { program = builtProgram, maxHeapMb = processHeapMb, onStart } = this.#parts.hooks;
    const worker = new Worker(program, {
      workerData: data,
      transferList: [calls, ...(store === undefined ? [] : [store.port])],
      // a thread that runs out of memory ends alone
      resourceLimits: {
        maxOldGenerationSizeMb: maxHeapMb,
        maxYoungGenerationSizeMb: youngMb,
      },
    });
    onStart?.(worker);
    return worker;
  }

  async #socket(listening: readonly NetServer[]): Promise<ThreadSocket> {
    const addresses = listening.map((server) => server.address() as AddressInfo);
    const [{ address: host, port }] = addresses as [AddressInfo];
    if (!this.#parts.ownsProcess) return { source: { host, port }, door: undefined };
    const door = await ConnectionDoor.open();
    const ports = addresses.map((address) => address.port);
    return { source: { path: door.path, count: door.memory, host, ports }, door };
  }

  #commits() {
    const { local } = this.#parts;
    if (local === undefined) return undefined;
    const { port1, port2 } = new MessageChannel();
    const service = new CommitService(local.store, local.board, port1);
    return { service, data: { folder: local.folder, board: local.board.memory, port: port2 } };
  }

  #handlers(index: number, onReady: () => void, door: ConnectionDoor | undefined) {
    const { config, audit, metrics, resetMetrics, watches, problem, connectLane, requests } = this.#parts;
    const { log } = config;
    return {
      log: ({ level, fields, message }: Parameters<MainCalls['log']>[0]) =>
        log.pass(level, { thread: index, ...fields }, message),
      audit: (events: Parameters<MainCalls['audit']>[0]) => audit?.deliver(events) ?? true,
      metrics,
      resetMetrics,
      watches,
      setLog: (settings: LogSettings) => {
        log.levels.settings = settings;
        this.setLog(settings);
      },
      readRequests: (query: RingQuery) => requests.read(query),
      addRequests: (records: readonly string[]) => requests.add(index, records),
      threadProblem: problem,
      connectLane,
      taken: () => door?.taken(),
      ready: onReady,
    };
  }
}

/** Of the time since the last call. */
function utilizationOf(worker: Worker): () => number {
  let last: EventLoopUtilization = { idle: 0, active: 0, utilization: 0 };
  return () => {
    const now = worker.performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
