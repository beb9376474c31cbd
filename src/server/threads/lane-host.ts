// The lane for large requests, as the main thread keeps it: started at the first need, ended when nothing needed it for a while.

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ThreadUse } from '../../metrics/thread-metrics.ts';
import type { LoggedConfig } from '../server-log.ts';
import type { ServerThread, ThreadGroup } from './thread-group.ts';

/** The lane is ended after this long without a request. */
const idleMs = 60_000;
const lookMs = 5000;
/** A lane that failed is not started again before this time, doubled with each further failure. */
const restartMs = { first: 500, most: 30_000 };
/** A lane that has served this long starts from the first delay again. */
const steadyMs = 60_000;

export class LaneHost {
  readonly #group: ThreadGroup;
  readonly #config: LoggedConfig;
  /** The number of the lane among the threads. */
  readonly #index: number;
  #lane: Promise<ServerThread> | undefined;
  /** Resolves when the lane before has ended. */
  #ending: Promise<void> | undefined;
  #looking: NodeJS.Timeout | undefined;
  #use: ThreadUse | undefined;
  #failures = 0;
  #notBefore = 0;
  #isClosing = false;

  constructor(group: ThreadGroup, config: LoggedConfig, index: number) {
    this.#group = group;
    this.#config = config;
    this.#index = index;
  }

  /** A port to the lane. Rejects where it cannot be started, and for a while after it failed. */
  async connect(): Promise<MessagePort> {
    for (;;) {
      const { calls, exited } = await this.#started();
      const { port1, port2 } = new MessageChannel();
      try {
        await calls.call('serveLane', port2);
        return port1;
      } catch {
        // it has ended meanwhile: the port would never be closed
        port1.close();
        await exited;
      }
    }
  }

  /** Undefined while there is no lane. */
  get use(): ThreadUse | undefined {
    return this.#use;
  }

  close(): void {
    this.#isClosing = true;
    clearInterval(this.#looking);
  }

  #started(): Promise<ServerThread> {
    if (this.#isClosing) throw new Error('the server stops');
    if (this.#lane !== undefined) return this.#lane;
    if (performance.now() < this.#notBefore) throw new Error('the thread failed and is started again later');
    this.#lane = this.#start();
    return this.#lane;
  }

  async #start(): Promise<ServerThread> {
    await this.#ending;
    try {
      const lane = await this.#group.start(this.#index, undefined);
      void lane.exited.then((failure) => this.#exited(lane, failure));
      this.#looking = setInterval(() => void this.#look(lane), lookMs);
      this.#looking.unref();
      return lane;
    } catch (error) {
      this.#fail();
      throw error;
    }
  }

  #exited({ startedAt, index }: ServerThread, failure: Error | undefined): void {
    clearInterval(this.#looking);
    this.#use = undefined;
    if (this.#lane === undefined) return;
    this.#lane = undefined;
    if (this.#isClosing) return;
    if (performance.now() - startedAt > steadyMs) this.#failures = 0;
    this.#config.log.error({ thread: index, err: failure }, 'the thread for large requests ended');
    this.#fail();
  }

  #fail(): void {
    this.#lane = undefined;
    this.#notBefore = performance.now() + Math.min(restartMs.most, restartMs.first * 2 ** this.#failures);
    this.#failures++;
  }

  /** Requests that were sent to a lane that ends are sent again to the next one. */
  async #look(lane: ServerThread): Promise<void> {
    this.#use = { thread: 'lane', ...(await lane.use()) };
    const idleFor = await lane.calls.call('laneIdleMs', undefined).catch(() => 0);
    if (idleFor < idleMs || this.#lane === undefined || this.#isClosing) return;
    this.#lane = undefined;
    this.#failures = 0;
    clearInterval(this.#looking);
    this.#ending = this.#group.end(lane);
  }
}
