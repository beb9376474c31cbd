// Many deadlines behind one timer: a heap by time. An idle watch costs an entry here instead of timers of its own.

import type { Clock, Timer } from './clock.ts';

/** Something to do at a time. The code that made it may look at it, and gives it back to cancel it. */
export interface Deadline {
  readonly at: number;
}

/** Who is told. An object rather than a function: there may be thousands, and most of them are there anyway. */
export interface DeadlineTarget {
  onDeadline(): void;
}

interface Entry extends Deadline {
  readonly target: DeadlineTarget;
  /** Its place in the heap; -1 once it is out. */
  index: number;
}

export class Deadlines {
  readonly #clock: Clock;
  readonly #heap: Entry[] = [];
  #timer: Timer | undefined;
  #timerAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Tells `target` once after `ms`. */
  after(ms: number, target: DeadlineTarget): Deadline {
    return this.at(this.#clock.now() + ms, target);
  }

  /** Tells `target` once, when the clock shows `time`. */
  at(time: number, target: DeadlineTarget): Deadline {
    const entry: Entry = { at: time, target, index: this.#heap.length };
    this.#heap.push(entry);
    this.#rise(entry);
    if (entry.index === 0) this.#arm();
    return entry;
  }

  /** Forgets a deadline; one that has passed is no error. */
  cancel(deadline: Deadline): void {
    const entry = deadline as Entry;
    if (entry.index < 0) return;
    this.#remove(entry);
    if (this.#heap.length === 0) this.#disarm();
  }

  /** Sets the timer to the earliest deadline; one that fires too early finds nothing to do. */
  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined || (this.#timer !== undefined && this.#timerAt <= first.at)) return;
    this.#disarm();
    this.#timerAt = first.at;
    this.#timer = this.#clock.after(Math.max(0, first.at - this.#clock.now()), () => this.#fire());
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let first = this.#heap[0]; first !== undefined && first.at <= now; first = this.#heap[0]) {
      this.#remove(first);
      first.target.onDeadline();
    }
    this.#arm();
  }

  #remove(entry: Entry): void {
    const last = this.#heap.pop() as Entry;
    const { index } = entry;
    entry.index = -1;
    if (last === entry) return;
    last.index = index;
    this.#heap[index] = last;
    this.#rise(last);
    this.#sink(last);
  }

  #rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1] as Entry;
      if (parent.at <= entry.at) return;
      this.#swap(parent, entry);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[entry.index * 2 + 1];
      const right = this.#heap[entry.index * 2 + 2];
      const child = right !== undefined && left !== undefined && right.at < left.at ? right : left;
      if (child === undefined || child.at >= entry.at) return;
      this.#swap(entry, child);
    }
  }

  #swap(upper: Entry, lower: Entry): void {
    this.#heap[upper.index] = lower;
    this.#heap[lower.index] = upper;
    [upper.index, lower.index] = [lower.index, upper.index];
  }
}
