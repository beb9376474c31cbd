// Kept connections to one webhook, all made with the same trust and keys, and a bound on how many are in use at once.

import { Agent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

type Opened = (error: Error | null, stream: Duplex) => void;

/** Idle connections are closed before most servers do so themselves. */
const idleMs = 60_000;
const maxIdle = 32;

export class WebhookPool {
  readonly agent: Agent;
  readonly #most: number;
  readonly #waiting = new Set<() => void>();
  #inUse = 0;
  #isRetired = false;

  constructor(open: () => Promise<TLSSocket>, most: number) {
    this.#most = most;
    this.agent = new Agent({ keepAlive: true, maxFreeSockets: maxIdle, timeout: idleMs, scheduling: 'lifo' });
    this.agent.createConnection = (_options, opened: Opened = () => {}) => {
      open().then(
        (socket) => opened(null, socket),
        (error: Error) => opened(error, undefined as unknown as Duplex),
      );
      return undefined;
    };
  }

  /** Runs `work` once one of the connections may be used; rejects with the reason of `end` if that comes first. */
  async use<T>(end: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (end.aborted) throw end.reason;
    // a free slot is given to the call that waits for it, so the count is unchanged
    if (this.#inUse >= this.#most) await this.#waitForSlot(end);
    else this.#inUse++;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Calls under way may finish. */
  retire(): void {
    this.#isRetired = true;
    if (this.#inUse === 0) this.agent.destroy();
  }

  #waitForSlot(end: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        end.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.delete(go);
        reject(end.reason as Error);
      };
      this.#waiting.add(go);
      end.addEventListener('abort', leave, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next !== undefined) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#inUse--;
    if (this.#isRetired && this.#inUse === 0) this.agent.destroy();
  }
}
