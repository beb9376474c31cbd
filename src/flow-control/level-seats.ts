// Seats of one priority level, counted for all threads of the server together.

import { SharedCounts } from '../base/shared-counts.ts';
import { stringHash } from './string-hash.ts';

/** Levels past these share one count. */
const maxLevels = 128;
const columns = { inUse: 0, waiting: 1, limit: 2, average: 3, variance: 4, highest: 5 } as const;
const columnsPerLevel = 6;
/** Averages are whole numbers in shared memory. */
const thousand = 1000;
const largestCount = 2 ** 31 - 1;

/** What `SharedCounts` needs for the seats of all levels. */
export const seatColumns = { columns: (maxLevels + 1) * columnsPerLevel, names: maxLevels };

interface PublishedDemand {
  readonly average: number;
  readonly variance: number;
  readonly max: number;
}

export class LevelSeats {
  readonly #counts: SharedCounts;
  readonly #first: number;

  /** `firstColumn` is where the columns of all levels begin. */
  constructor(counts: SharedCounts, firstColumn: number, level: string) {
    this.#counts = counts;
    this.#first = firstColumn + (counts.numberOf(stringHash(level)) ?? maxLevels) * columnsPerLevel;
  }

  /** For one thread. */
  static alone(level: string): LevelSeats {
    return new LevelSeats(new SharedCounts({ ...seatColumns, rows: 1 }), 0, level);
  }

  /** In all threads. */
  get inUse(): number {
    return this.#sum('inUse');
  }

  /** Takes seats if the limit allows it. A request that needs more than the limit gets them while no other request has any. */
  take(seats: number, limit: number): boolean {
    if (this.#isOverShare(seats, limit)) return false;
    this.#counts.add(this.#first + columns.inUse, seats);
    const inUse = this.#sum('inUse');
    if (inUse <= limit || inUse === seats) return true;
    this.give(seats);
    return false;
  }

  /** Takes seats whatever the limit is. */
  force(seats: number): void {
    this.#counts.add(this.#first + columns.inUse, seats);
  }

  give(seats: number): void {
    this.#counts.add(this.#first + columns.inUse, -seats);
  }

  /** Requests that wait in this thread need so many seats more. */
  wait(change: number): void {
    this.#counts.add(this.#first + columns.waiting, change);
  }

  /** The limit that the main thread has set; 0 before it did. */
  get limit(): number {
    return this.#sum('limit');
  }

  /** Sets the limit for all threads, where this one is the main thread. */
  setLimit(limit: number): void {
    if (this.#counts.isFirst) this.#counts.set(this.#first + columns.limit, limit);
  }

  /** Shows the demand of this thread to the others, and returns that of all. */
  exchangeDemand({ average, variance, max }: PublishedDemand): PublishedDemand {
    this.#set('average', average * thousand);
    this.#set('variance', variance * thousand);
    this.#set('highest', max);
    return {
      average: this.#sum('average') / thousand,
      variance: this.#sum('variance') / thousand,
      max: this.#sum('highest'),
    };
  }

  /** While requests wait in other threads, this one has no more than its part of the seats, by use. */
  #isOverShare(seats: number, limit: number): boolean {
    const waiting = this.#sum('waiting');
    const ownWaiting = this.#own('waiting');
    if (waiting === ownWaiting) return false;
    const ownInUse = this.#own('inUse');
    // rounded up, so that no seat stays free between threads
    const share = Math.ceil((limit * (ownInUse + ownWaiting)) / (this.#sum('inUse') + waiting));
    return ownInUse > 0 && ownInUse + seats > share;
  }

  #sum(column: keyof typeof columns): number {
    return this.#counts.sum(this.#first + columns[column]);
  }

  #own(column: keyof typeof columns): number {
    return this.#counts.own(this.#first + columns[column]);
  }

  #set(column: keyof typeof columns, value: number): void {
    this.#counts.set(this.#first + columns[column], Math.min(largestCount, Math.round(value)));
  }
}
