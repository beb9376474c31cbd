// How much of what a priority level has is in use, over time; and how many requests read and write.

import { TimedRatio } from './timed-ratio.ts';

const requestBounds = [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1];
const seatBounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];
const demandBounds = [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6];
const kindBounds = [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1];

export class LevelUse {
  readonly waiting: TimedRatio;
  readonly executing: TimedRatio;
  /** Seats in use, and seats in use or waited for. */
  readonly seats: TimedRatio;
  readonly demand: TimedRatio;

  constructor(now: number) {
    this.waiting = new TimedRatio(requestBounds, now);
    this.executing = new TimedRatio(requestBounds, now);
    this.seats = new TimedRatio(seatBounds, now);
    this.demand = new TimedRatio(demandBounds, now);
  }

  /** `seats` is the limit of the level, `places` the number of requests that its queues hold. */
  setWholes(seats: number, places: number, now: number): void {
    this.waiting.setWhole(places, now);
    for (const ratio of [this.executing, this.seats, this.demand]) ratio.setWhole(seats, now);
  }
}

/** Requests of one kind, in all levels. */
export class KindUse {
  readonly waiting: TimedRatio;
  readonly executing: TimedRatio;

  constructor(now: number) {
    this.waiting = new TimedRatio(kindBounds, now);
    this.executing = new TimedRatio(kindBounds, now);
  }
}

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** How many requests read and write. */
export class ReadWriteUse {
  readonly readOnly: KindUse;
  readonly mutating: KindUse;

  constructor(now: number) {
    this.readOnly = new KindUse(now);
    this.mutating = new KindUse(now);
  }

  of(verb: string): KindUse {
    return reads.has(verb) ? this.readOnly : this.mutating;
  }

  setWholes(executing: number, waiting: number, now: number): void {
    for (const kind of [this.readOnly, this.mutating]) {
      kind.executing.setWhole(executing, now);
      kind.waiting.setWhole(waiting, now);
    }
  }
}
