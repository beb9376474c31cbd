// One priority level: its queues, its limits, and the seats that it needed lately.

import type { Clock } from '../base/time/clock.ts';
import type { PriorityLevelConfiguration } from '../groups/flowcontrol/v1/priority-level-configuration-type.ts';
import { FlowStats } from './flow-stats.ts';
import type { LevelSeats } from './level-seats.ts';
import { LevelUse } from './level-use.ts';
import { type LevelDemand, type LevelShares, type SeatLimits, seatLimits } from './limits.ts';
import { QueueSet, type QueueSettings } from './queue-set.ts';
import { RetryAfter } from './retry-after.ts';
import { SeatDemand, smoothed } from './seat-demand.ts';

/** The part of a PriorityLevelConfiguration that applies. */
export type LevelObject = Pick<PriorityLevelConfiguration, 'metadata' | 'spec'>;

export interface LevelParts {
  readonly clock: Clock;
  /** Seats of the level in all threads. */
  readonly seats: LevelSeats;
  later(retry: () => void): void;
}

/** A request takes this part of the seats of its level at most. */
const largestPart = 0.15;
const noQueues: QueueSettings = { queues: 0, handSize: 0, lengthLimit: 0 };

export class PriorityLevel {
  readonly name: string;
  readonly isExempt: boolean;
  readonly queues: QueueSet;
  readonly retryAfter = new RetryAfter();
  readonly seats: LevelSeats;
  readonly use: LevelUse;
  readonly #clock: Clock;
  readonly #demand: SeatDemand;
  readonly #stats = new Map<string, FlowStats>();
  uid = '';
  settings: QueueSettings = noQueues;
  shares: LevelShares = { shares: 0, lendable: 0, borrowing: undefined };
  limits: SeatLimits = { nominal: 0, lower: 0, upper: 0 };
  /** The object was deleted, and some requests have not ended yet. */
  isEnding = false;
  target = 0;
  recent = { average: 0, deviation: 0, highest: 0, smoothed: 0 };

  constructor(name: string, isExempt: boolean, { clock, seats, later }: LevelParts) {
    this.name = name;
    this.isExempt = isExempt;
    this.seats = seats;
    this.#clock = clock;
    this.use = new LevelUse(clock.now());
    this.#demand = new SeatDemand(clock);
    this.queues = new QueueSet({ clock, seats, demand: this.#demand, isExempt, later });
  }

  /** The most seats that one request takes; undefined for as many as it needs. */
  get maxSeats(): number | undefined {
    const { queues, handSize } = this.settings;
    if (queues === 0) return undefined;
    const { nominal } = this.limits;
    return Math.max(1, Math.min(Math.ceil(nominal * largestPart), Math.floor(nominal / handSize)));
  }

  /** The most requests that wait at once. */
  get places(): number {
    return this.settings.queues * this.settings.lengthLimit;
  }

  get stats(): Iterable<FlowStats> {
    return this.#stats.values();
  }

  statsOf(schema: string): FlowStats {
    let stats = this.#stats.get(schema);
    if (stats === undefined) {
      stats = new FlowStats(schema, this.name);
      this.#stats.set(schema, stats);
    }
    return stats;
  }

  /** Drops what was counted of schemas that do not exist any more and have no requests here. */
  forgetStats(schemas: ReadonlySet<string>): void {
    for (const [name, { executingSeats, waiting }] of this.#stats)
      if (!schemas.has(name) && executingSeats === 0 && waiting === 0) this.#stats.delete(name);
  }

  /** Takes what the object says. */
  configure({ metadata, spec }: LevelObject): void {
    this.uid = metadata.uid ?? '';
    this.isEnding = false;
    const { limited, exempt } = spec ?? {};
    this.shares = {
      shares: limited?.nominalConcurrencyShares ?? exempt?.nominalConcurrencyShares ?? 0,
      lendable: limited?.lendablePercent ?? exempt?.lendablePercent ?? 0,
      borrowing: limited?.borrowingLimitPercent,
    };
    const queuing = limited?.limitResponse?.queuing;
    this.settings =
      queuing === undefined
        ? noQueues
        : { queues: queuing.queues ?? 0, handSize: queuing.handSize ?? 1, lengthLimit: queuing.queueLengthLimit ?? 1 };
    this.queues.configure(this.settings);
  }

  divide(shareSum: number, serverSeats: number): void {
    this.limits = seatLimits(this.shares, shareSum, serverSeats);
  }

  /** What the level needed since the last call, in all threads. */
  takeDemand(): LevelDemand {
    const { average, variance, max: highest } = this.seats.exchangeDemand(this.#demand.take());
    const deviation = Math.sqrt(variance);
    this.recent = { average, deviation, highest, smoothed: smoothed(this.recent.smoothed, average, deviation) };
    return { ...this.limits, isExempt: this.isExempt, highest, smoothed: this.recent.smoothed };
  }

  /** The main thread decides; other threads follow once it has. */
  setLimit(limit: number): void {
    this.seats.setLimit(limit);
    this.queues.setLimit(this.seats.limit || limit);
    this.use.setWholes(this.queues.limit, this.places, this.#clock.now());
  }
}
