// The serving threads of the main thread: started, watched over, and ended; with `auto`, as many as the load needs.

import { existsSync } from 'node:fs';
import type { Server as NetServer } from 'node:net';
import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Auditor } from '../audit/auditor.ts';
import type { LogSettings } from '../base/log-levels.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { SharedCounts } from '../base/shared-counts.ts';
import type { ThreadConfig } from '../config/thread-options.ts';
import type { MetricSnapshot } from '../metrics/metric-snapshot.ts';
import type { ThreadUse } from '../metrics/thread-metrics.ts';
import { offerSocket, socketProblem } from '../runtime/shared-socket.ts';
import type { Store } from '../storage/store.ts';
import { CommitService } from '../storage/threads/commit-service.ts';
import type { RevisionBoard } from '../storage/threads/revision-board.ts';
import { PortCalls } from '../threads/port-calls.ts';
import type { MainCalls, ServingCalls, ServingThreadData, SocketSource } from '../threads/protocol.ts';
import type { ThreadHooks } from './server-hooks.ts';
import type { LoggedConfig } from './server-log.ts';

/** Next to the chunks of the build. */
const builtProgram = new URL('../serving-thread.cjs', import.meta.url);

/** `auto` adds a thread when all have been busier than this for so many looks. */
const busy = { share: 0.7, looks: 2 };
/** A thread that was less busy than this for so many looks is ended. */
const idle = { share: 0.1, looks: 300 };
const lookMs = 1000;
/** A thread has this long to end, besides the time for requests under way. */
const endingMs = 10_000;
/** A thread that failed is started again after this time, doubled with each further failure. */
const restartMs = { first: 500, most: 30_000 };
/** A thread that has served this long starts from the first delay again. */
const steadyMs = 60_000;

interface PoolParts {
  readonly config: LoggedConfig;
  readonly threads: ThreadConfig;
  /** The store as the data folder has it: what is encrypted stays so. Undefined where each thread has a connection to etcd. */
  readonly local: { readonly store: Store; readonly board: RevisionBoard; readonly folder: string } | undefined;
  readonly inFlight: SharedCounts;
  readonly audit: Auditor | undefined;
  /** Whether the program is the command, where internals of Node may be used. */
  readonly ownsProcess: boolean;
  readonly hooks: ThreadHooks;
  /** The metrics of this thread and of the others, as text. */
  metrics(): Promise<string>;
  resetMetrics(): MaybePromise<void>;
  /** Sends a share of the HTTP/2 connections of the main thread off. */
  shed(share: number): void;
}

interface ServingThread {
  readonly worker: Worker;
  readonly calls: PortCalls<MainCalls, ServingCalls>;
  readonly startedAt: number;
  isReady: boolean;
  /** Of the time since the last look. */
  load: number;
  idleLooks: number;
  utilization: EventLoopUtilization;
  readonly exited: Promise<void>;
}

export class ThreadPool {
  readonly #parts: PoolParts;
  readonly #listening: NetServer;
  readonly #threads = new Map<number, ServingThread>();
  readonly #failures = new Map<number, number>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #looking: NodeJS.Timeout | undefined;
  #wanted: number;
  #busyLooks = 0;
  #mainLoad = 0;
  #mainUtilization = performance.eventLoopUtilization();
  #isClosing = false;

  constructor(parts: PoolParts, listening: NetServer) {
    this.#parts = parts;
    this.#listening = listening;
    this.#wanted = parts.threads.atStart;
  }

  /** Resolves when all threads of the start listen. Throws where threads cannot share the port. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#wanted - 1 }, (_, at) => this.#begin(at + 1)));
    this.#looking = setInterval(() => this.#look(), lookMs);
    this.#looking.unref();
  }

  /** Why not all threads serve; undefined when they do. */
  problem(): string | undefined {
    const serving = [...this.#threads.values()].filter(({ isReady }) => isReady).length;
    return serving + 1 >= this.#wanted
      ? undefined
      : `${this.#wanted - 1 - serving} of ${this.#wanted} threads do not serve`;
  }

  get use(): readonly ThreadUse[] {
    return [{ thread: 0, load: this.#mainLoad }, ...[...this.#threads].map(([thread, { load }]) => ({ thread, load }))];
  }

  /** Metrics of the serving threads; one that ends meanwhile has none. */
  async snapshots(): Promise<readonly (readonly MetricSnapshot[])[]> {
    const all = this.#ready().map(({ calls }) => calls.call('metrics', undefined).catch(() => []));
    return Promise.all(all);
  }

  async resetMetrics(): Promise<void> {
    await Promise.all(this.#ready().map(({ calls }) => calls.call('resetMetrics', undefined).catch(() => {})));
  }

  /** Everything that is logged by a thread follows. */
  setLog(settings: LogSettings): void {
    for (const { calls } of this.#threads.values()) calls.send('setLog', settings);
  }

  /** No thread is ready any more; all go on for now. */
  stopping(): void {
    for (const { calls } of this.#threads.values()) calls.send('stopping', undefined);
  }

  /** Each thread finishes what is under way there. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#looking);
    for (const timer of this.#restarts) clearTimeout(timer);
    await Promise.all([...this.#threads.values()].map((thread) => this.#end(thread)));
  }

  /** A thread that does not end in time is cut off. */
  async #end({ calls, exited, worker }: ServingThread): Promise<void> {
    calls.send('close', undefined);
    const timer = setTimeout(() => void worker.terminate(), this.#parts.config.shutdownGraceMs + endingMs);
    await exited;
    clearTimeout(timer);
  }

  #ready(): readonly ServingThread[] {
    return [...this.#threads.values()].filter(({ isReady }) => isReady);
  }

  /** Resolves when the thread listens, and throws when it ends before. */
  async #begin(index: number): Promise<void> {
    const socket = await this.#socket();
    const channel = new MessageChannel();
    const commits = this.#commits();
    const { threads, config, inFlight } = this.#parts;
    const data: ServingThreadData = {
      index,
      options: threads.options ?? {},
      socket: socket.source,
      calls: channel.port2,
      store: commits?.data,
      inFlight: { rows: threads.most, memory: inFlight.memory },
      logSettings: config.log.levels.settings,
    };
    const { program = builtProgram, onStart } = this.#parts.hooks;
    const worker = new Worker(program, {
      workerData: data,
      transferList: [channel.port2, ...(commits === undefined ? [] : [commits.data.port])],
      // a thread that runs out of memory ends alone
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20) },
    });
    let onReady: () => void = () => {};
    const ready = new Promise<void>((resolve) => {
      onReady = resolve;
    });
    onStart?.(worker);
    const calls = new PortCalls<MainCalls, ServingCalls>(
      channel.port1,
      this.#handlers(index, () => onReady()),
    );
    let failure: Error | undefined;
    worker.on('error', (error) => {
      failure = error;
    });
    const exited = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        socket.close();
        commits?.service.close();
        calls.close();
        inFlight.clear(index);
        this.#threads.delete(index);
        resolve();
      });
    });
    const thread: ServingThread = {
      ...{ worker, calls, exited, startedAt: performance.now(), isReady: false, load: 0, idleLooks: 0 },
      utilization: { idle: 0, active: 0, utilization: 0 },
    };
    this.#threads.set(index, thread);
    await Promise.race([
      ready,
      exited.then(() => {
        throw failure ?? new Error('the thread ended before it served');
      }),
    ]);
    socket.close();
    thread.isReady = true;
    void exited.then(() => this.#exited(index, thread, failure));
  }

  async #socket(): Promise<{ readonly source: SocketSource; close(): void }> {
    if (!this.#parts.ownsProcess) {
      const { address: host, port } = this.#listening.address() as { readonly address: string; readonly port: number };
      return { source: { host, port }, close() {} };
    }
    const offer = await offerSocket(this.#listening);
    return { source: { path: offer.path }, close: () => offer.close() };
  }

  #commits() {
    const { local } = this.#parts;
    if (local === undefined) return undefined;
    const { port1, port2 } = new MessageChannel();
    const service = new CommitService(local.store, local.board, port1);
    return { service, data: { folder: local.folder, board: local.board.memory, port: port2 } };
  }

  #handlers(index: number, onReady: () => void) {
    const { config, audit, metrics, resetMetrics } = this.#parts;
    const { log } = config;
    return {
      log: ({ level, fields, message }: Parameters<MainCalls['log']>[0]) =>
        log.pass(level, { thread: index, ...fields }, message),
      audit: (events: Parameters<MainCalls['audit']>[0]) => audit?.deliver(events) ?? true,
      metrics: () => metrics(),
      resetMetrics: () => resetMetrics(),
      setLog: (settings: LogSettings) => {
        log.levels.settings = settings;
        this.setLog(settings);
      },
      threadProblem: () => this.problem(),
      ready: onReady,
    };
  }

  /** A thread that was not ended on purpose is started again. */
  #exited(index: number, { startedAt }: ServingThread, failure: Error | undefined): void {
    if (this.#isClosing || index >= this.#wanted) return;
    if (performance.now() - startedAt > steadyMs) this.#failures.delete(index);
    this.#parts.config.log.error({ thread: index, err: failure }, 'a serving thread ended; it is started again');
    this.#restart(index);
  }

  #restart(index: number): void {
    const failures = this.#failures.get(index) ?? 0;
    this.#failures.set(index, failures + 1);
    const timer = setTimeout(
      () => {
        this.#restarts.delete(timer);
        this.#begin(index).catch((error: unknown) => {
          if (this.#isClosing) return;
          this.#parts.config.log.error({ thread: index, err: error }, 'a serving thread could not be started');
          this.#restart(index);
        });
      },
      Math.min(restartMs.most, restartMs.first * 2 ** failures),
    );
    timer.unref();
    this.#restarts.add(timer);
  }

  /** What each thread did since the last look decides whether there are too few or too many. */
  #look(): void {
    const now = performance.eventLoopUtilization();
    this.#mainLoad = performance.eventLoopUtilization(now, this.#mainUtilization).utilization;
    this.#mainUtilization = now;
    for (const thread of this.#ready()) {
      const current = thread.worker.performance.eventLoopUtilization();
      thread.load = performance.eventLoopUtilization(current, thread.utilization).utilization;
      thread.utilization = current;
      thread.idleLooks = thread.load < idle.share ? thread.idleLooks + 1 : 0;
    }
    const { atStart, most } = this.#parts.threads;
    if (atStart === most || this.#isClosing) return;
    this.#busyLooks = this.use.every(({ load }) => load > busy.share) ? this.#busyLooks + 1 : 0;
    if (this.#busyLooks >= busy.looks && this.#wanted < most) this.#grow();
    else this.#shrink();
  }

  #grow(): void {
    this.#busyLooks = 0;
    const index = this.#wanted++;
    this.#parts.config.log.info({ threads: this.#wanted }, 'all threads are busy: one more is started');
    this.#begin(index).then(
      () => this.#shed(),
      (error: unknown) => {
        this.#wanted--;
        if (this.#isClosing) return;
        this.#parts.config.log.error({ thread: index, err: error }, 'a serving thread could not be started');
      },
    );
  }

  /** Clients that keep their connections get to the new thread as well. */
  #shed(): void {
    const share = 1 / this.#wanted;
    this.#parts.shed(share);
    for (const { calls } of this.#ready()) calls.send('shed', share);
  }

  /** The last one first: the threads are numbered without gaps. */
  #shrink(): void {
    const thread = this.#threads.get(this.#wanted - 1);
    if (thread === undefined || !thread.isReady || thread.idleLooks < idle.looks) return;
    this.#wanted--;
    this.#parts.config.log.info({ threads: this.#wanted }, 'a serving thread was idle and ends');
    void this.#end(thread);
  }
}

/** Why threads cannot share a port here; undefined when they can. */
export function sharingProblem(ownsProcess: boolean, { program = builtProgram }: ThreadHooks = {}): string | undefined {
  if (!existsSync(program)) return 'the program of the threads is not built';
  if (ownsProcess) return socketProblem();
  return canRebindPorts() ? undefined : 'threads share a port on Linux with Node 22.12 and later only';
}

/** `reusePort` of `listen` is ignored by earlier releases. */
function canRebindPorts(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return process.platform === 'linux' && (major > 22 || (major === 22 && minor >= 12));
}
