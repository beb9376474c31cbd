// Work of several users that waits for one worker: the users take turns, however much one of them has waiting.

export interface Work {
  /** Memory that it holds while it waits. */
  readonly bytes: number;
  run(): Promise<void>;
}

interface UserQueueLimits {
  /** Memory that waiting work of one user holds. */
  readonly maxBytesPerUser: number;
  /** No work of a user is added while an earlier piece has waited longer. */
  readonly maxWaitMs: number;
  /** Work that is under way at once, in all and of one user: some of it only waits for other servers. */
  readonly maxRunning: number;
  readonly maxRunningPerUser: number;
}

/** Work without a body needs memory too. */
const minBytes = 16 * 1024;

interface UserWork {
  readonly waiting: { readonly work: Work; readonly since: number }[];
  bytes: number;
  running: number;
}

export class UserQueue {
  readonly #limits: UserQueueLimits;
  readonly #now: () => number;
  /** In the order in which the users are served next. */
  readonly #users = new Map<string, UserWork>();
  #running = 0;

  constructor(limits: UserQueueLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** False where too much of this user waits already, or for too long. */
  add(user: string, work: Work): boolean {
    const { maxBytesPerUser, maxWaitMs } = this.#limits;
    const own = this.#users.get(user) ?? { waiting: [], bytes: 0, running: 0 };
    const [oldest] = own.waiting;
    if (oldest !== undefined && this.#now() - oldest.since > maxWaitMs) return false;
    if (oldest !== undefined && own.bytes + sizeOf(work) > maxBytesPerUser) return false;
    own.waiting.push({ work, since: this.#now() });
    own.bytes += sizeOf(work);
    this.#users.set(user, own);
    // after all messages that have arrived: those of other users may be among them
    setImmediate(() => this.#next());
    return true;
  }

  #next(): void {
    const { maxRunning, maxRunningPerUser } = this.#limits;
    if (this.#running >= maxRunning) return;
    for (const [user, own] of this.#users) {
      if (own.running >= maxRunningPerUser) continue;
      const first = own.waiting.shift();
      if (first === undefined) continue;
      // to the end of the line
      this.#users.delete(user);
      this.#users.set(user, own);
      this.#run(user, own, first.work);
      return;
    }
  }

  #run(user: string, own: UserWork, work: Work): void {
    own.bytes -= sizeOf(work);
    own.running++;
    this.#running++;
    void work.run().finally(() => {
      this.#running--;
      own.running--;
      if (own.running === 0 && own.waiting.length === 0) this.#users.delete(user);
      setImmediate(() => this.#next());
    });
  }
}

const sizeOf = ({ bytes }: Work) => Math.max(minBytes, bytes);
