// The serving threads of the main thread: how many there are, and what happens when one ends.

import type { Server as NetServer, Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { ThreadConfig } from '../../config/thread-options.ts';
import type { ThreadUse } from '../../metrics/thread-metrics.ts';
import type { ConnectionDoor } from '../../runtime/connection-door.ts';
import { PoolSize } from '../pool-size.ts';
import type { LoggedConfig } from '../server-log.ts';
import type { ServerThread, ThreadGroup } from './thread-group.ts';

const lookMs = 1000;
/** A thread that failed is started again after this time, doubled with each further failure. */
const restartMs = { first: 500, most: 30_000 };
/** A thread that has served this long starts from the first delay again. */
const steadyMs = 60_000;
/** A connection of the main thread counts as this many: the thread also writes for all others. */
const mainWeight = 1.25;

interface PoolParts {
  readonly config: LoggedConfig;
  readonly threads: ThreadConfig;
  readonly group: ThreadGroup;
  /** Sends a share of the HTTP/2 connections of the main thread off. */
  shed(share: number): void;
}

interface Load {
  /** Of the time since the last look. */
  load: number;
  heapBytes: number;
}

export class ThreadPool {
  readonly #parts: PoolParts;
  readonly #listening: readonly NetServer[];
  readonly #loads = new Map<number, Load>();
  readonly #doors = new Map<number, ConnectionDoor>();
  #ownConnections = 0;
  readonly #failures = new Map<number, number>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #looking: NodeJS.Timeout | undefined;
  readonly #size: PoolSize;
  #mainLoad = 0;
  #mainUtilization = performance.eventLoopUtilization();
  #isClosing = false;

  constructor(parts: PoolParts, listening: readonly NetServer[]) {
    this.#parts = parts;
    this.#listening = listening;
    this.#size = new PoolSize(parts.threads);
  }

  /** Resolves when all threads of the start listen. Throws where threads cannot share the port. */
  async start(): Promise<void> {
    await Promise.all(Array.from({ length: this.#size.threads - 1 }, (_, at) => this.#begin(at + 1)));
    this.#looking = setInterval(() => void this.#look(), lookMs);
    this.#looking.unref();
  }

  /** Passes a new connection to the thread that has the fewest; false where that is this one. */
  pass(socket: Socket): boolean {
    let least = this.#ownConnections * mainWeight;
    let free: ConnectionDoor | undefined;
    for (const door of this.#doors.values()) {
      if (free === undefined ? door.connections > least : door.connections >= least) continue;
      least = door.connections;
      free = door;
    }
    free?.give(socket);
    if (free !== undefined) return true;
    this.#ownConnections++;
    socket.once('close', () => {
      this.#ownConnections--;
    });
    return false;
  }

  /** Why not all threads serve; undefined when they do. */
  problem(): string | undefined {
    const missing = this.#size.threads - 1 - this.#loads.size;
    return missing <= 0 ? undefined : `${missing} of ${this.#size.threads} threads do not serve`;
  }

  get use(): readonly ThreadUse[] {
    const heapBytes = getHeapStatistics().used_heap_size;
    const inOrder = [...this.#loads].sort(([one], [other]) => one - other);
    const others = inOrder.map(([index, one]) => ({ thread: String(index), ...one }));
    return [{ thread: '0', load: this.#mainLoad, heapBytes }, ...others];
  }

  /** No thread is added or started again from now on. */
  close(): void {
    this.#isClosing = true;
    this.#doors.clear();
    clearInterval(this.#looking);
    for (const timer of this.#restarts) clearTimeout(timer);
  }

  /** Resolves when the thread listens, and throws when it ends before. */
  async #begin(index: number): Promise<void> {
    const thread = await this.#parts.group.start(index, this.#listening);
    this.#loads.set(index, { load: 0, heapBytes: 0 });
    if (thread.door !== undefined && !this.#isClosing) this.#doors.set(index, thread.door);
    void thread.exited.then((failure) => this.#exited(thread, failure));
  }

  /** A thread that was not ended on purpose is started again. */
  #exited({ index, startedAt }: ServerThread, failure: Error | undefined): void {
    this.#loads.delete(index);
    this.#doors.delete(index);
    if (this.#isClosing || index >= this.#size.threads) return;
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
  async #look(): Promise<void> {
    const now = performance.eventLoopUtilization();
    this.#mainLoad = performance.eventLoopUtilization(now, this.#mainUtilization).utilization;
    this.#mainUtilization = now;
    const looks = [...this.#loads].map(async ([index, one]) => {
      Object.assign(one, await this.#parts.group.get(index)?.use());
    });
    await Promise.all(looks);
    if (this.#isClosing) return;
    const change = this.#size.look(this.use.map(({ load }) => load));
    if (change === 'grow') this.#grow();
    else if (change === 'shrink') this.#shrink();
  }

  #grow(): void {
    const { threads } = this.#size;
    const index = threads - 1;
    this.#parts.config.log.info({ threads }, 'all threads are busy: one more is started');
    this.#begin(index).then(
      () => this.#shed(),
      (error: unknown) => {
        this.#size.lose();
        if (this.#isClosing) return;
        this.#parts.config.log.error({ thread: index, err: error }, 'a serving thread could not be started');
      },
    );
  }

  /** Clients that keep their connections get to the new thread as well. */
  #shed(): void {
    const share = 1 / this.#size.threads;
    this.#parts.shed(share);
    for (const index of this.#loads.keys()) this.#parts.group.get(index)?.calls.send('shed', share);
  }

  /** The last one first: the threads are numbered without gaps. */
  #shrink(): void {
    const { threads } = this.#size;
    const thread = this.#parts.group.get(threads);
    this.#doors.delete(threads);
    this.#parts.config.log.info({ threads }, 'a serving thread was idle and ends');
    if (thread !== undefined) void this.#parts.group.end(thread);
  }
}
