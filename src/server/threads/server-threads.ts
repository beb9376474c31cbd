// The threads of one server besides the main thread: those that serve, and the lane for large requests.

import { existsSync } from 'node:fs';
import type { Server as NetServer } from 'node:net';
import type { LogSettings } from '../../base/log-levels.ts';
import { joinedWatches, type OpenWatches, openWatchesOf } from '../../handlers/watch/open-watches.ts';
import type { MetricSnapshot } from '../../metrics/metric-snapshot.ts';
import type { ThreadUse } from '../../metrics/thread-metrics.ts';
import type { Lane } from '../../pipeline/lane.ts';
import type { Resources } from '../../registry/resources.ts';
import { doorProblem } from '../../runtime/connection-door.ts';
import { LaneClient } from '../../threads/lane-client.ts';
import type { PassConnection } from '../../transport/http/listening-sockets.ts';
import type { ThreadHooks } from '../start/server-hooks.ts';
import { LaneHost } from './lane-host.ts';
import { builtProgram, ThreadGroup, type ThreadParts } from './thread-group.ts';
import { ThreadPool } from './thread-pool.ts';

interface ServerThreadsParts extends Omit<ThreadParts, 'problem' | 'connectLane'> {
  /** Sends a share of the HTTP/2 connections of the main thread off. */
  shed(share: number): void;
}

export class ServerThreads {
  readonly #parts: ServerThreadsParts;
  readonly #group: ThreadGroup;
  readonly #laneHost: LaneHost;
  #pool: ThreadPool | undefined;

  constructor(parts: ServerThreadsParts) {
    this.#parts = parts;
    const connectLane = () => this.#laneHost.connect();
    this.#group = new ThreadGroup({ ...parts, problem: () => this.problem(), connectLane });
    this.#laneHost = new LaneHost(this.#group, parts.config, parts.threads.most);
  }

  /** For large requests that the main thread receives; undefined where it serves them itself. */
  get lane(): Lane | undefined {
    const { threads, config, hooks } = this.#parts;
    if (threads.largeBytes === undefined || !existsSync(hooks.program ?? builtProgram)) return undefined;
    return new LaneClient({
      largeBytes: threads.largeBytes,
      connect: () => this.#laneHost.connect(),
      onError: (error) => config.log.error({ err: error }, 'the thread for large requests could not be started'),
    });
  }

  /** Whether further threads bind the port as well. */
  get sharesPort(): boolean {
    const { threads, ownsProcess, hooks } = this.#parts;
    return threads.most > 1 && !ownsProcess && sharingProblem(false, hooks) === undefined;
  }

  /** Gives connections to other threads; undefined where none of them gets its connections here. */
  get pass(): PassConnection | undefined {
    const { threads, ownsProcess, hooks } = this.#parts;
    if (threads.most === 1 || !ownsProcess || sharingProblem(true, hooks) !== undefined) return undefined;
    return (socket) => this.#pool?.pass(socket) === true;
  }

  /** Resolves when the threads of the start serve on these sockets too. */
  async start(listening: readonly NetServer[]): Promise<void> {
    const { threads, ownsProcess, hooks, config } = this.#parts;
    if (threads.most === 1) return;
    const problem = sharingProblem(ownsProcess, hooks);
    if (problem !== undefined) {
      if (threads.atStart > 1) config.log.warn({}, `one thread serves: ${problem}`);
      return;
    }
    this.#pool = new ThreadPool({ ...this.#parts, group: this.#group }, listening);
    await this.#pool.start();
  }

  /** Why not all threads serve; undefined when they do. */
  problem(): string | undefined {
    return this.#pool?.problem();
  }

  get use(): readonly ThreadUse[] {
    const lane = this.#laneHost.use;
    return [...(this.#pool?.use ?? []), ...(lane === undefined ? [] : [lane])];
  }

  snapshots(): Promise<readonly (readonly MetricSnapshot[])[]> {
    return this.#group.snapshots();
  }

  watches(): Promise<readonly OpenWatches[]> {
    return this.#group.watches();
  }

  resetMetrics(): Promise<void> {
    return this.#group.resetMetrics();
  }

  setLog(settings: LogSettings): void {
    this.#group.setLog(settings);
  }

  recordRequests(isOpen: boolean): void {
    this.#group.recordRequests(isOpen);
  }

  stopping(): void {
    this.#group.stopping();
  }

  /** Each thread finishes what is under way there; the lane last, which others may wait for. */
  async close(): Promise<void> {
    this.#pool?.close();
    this.#laneHost.close();
    await this.#group.close();
  }
}

/** The open watches of this thread and of the others. */
export async function watchesOfThreads(own: Resources, others: Pick<ServerThreads, 'watches'>): Promise<OpenWatches> {
  return joinedWatches([openWatchesOf(own), ...(await others.watches())]);
}

/** Why threads cannot share a port here; undefined when they can. */
function sharingProblem(ownsProcess: boolean, { program = builtProgram }: ThreadHooks): string | undefined {
  if (!existsSync(program)) return 'the program of the threads is not built';
  if (ownsProcess) return doorProblem();
  return canRebindPorts() ? undefined : 'threads share a port on Linux with Node 22.12 and later only';
}

/** `reusePort` of `listen` is ignored by earlier releases. */
function canRebindPorts(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return process.platform === 'linux' && (major > 22 || (major === 22 && minor >= 12));
}
