// Work of several users that wait for one worker: the users take turns, however much one of them has waiting.

interface UserQueueLimits {
  /** Work of one user that waits. */
  readonly maxPerUser: number;
  /** Work that is under way at once. */
  readonly maxRunning: number;
}

export class UserQueue {
  readonly #limits: UserQueueLimits;
  /** In the order in which the users are served next. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #running = 0;

  constructor(limits: UserQueueLimits) {
    this.#limits = limits;
  }

  get isIdle(): boolean {
    return this.#running === 0;
  }

  /** False where too much of this user waits already. */
  add(user: string, work: () => Promise<void>): boolean {
    const own = this.#waiting.get(user);
    if (own !== undefined && own.length >= this.#limits.maxPerUser) return false;
    if (own === undefined) this.#waiting.set(user, [work]);
    else own.push(work);
    // after all messages that have arrived: those of other users may be among them
    setImmediate(() => this.#next());
    return true;
  }

  #next(): void {
    if (this.#running >= this.#limits.maxRunning) return;
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [user, works] = first;
    const work = works.shift() as () => Promise<void>;
    // to the end of the line
    this.#waiting.delete(user);
    if (works.length > 0) this.#waiting.set(user, works);
    this.#running++;
    void work().finally(() => {
      this.#running--;
      setImmediate(() => this.#next());
    });
  }
}
