// The requests of one priority level: those that have seats, and those that wait for some in queues. Queues take turns by
// virtual time, which advances by the seat-seconds that each queue may use: a queue that had more is served later.

import type { Clock } from '../base/time/clock.ts';
import type { LevelSeats } from './level-seats.ts';
import { Queue } from './queue.ts';
import type { SeatDemand } from './seat-demand.ts';
import { estimatedSeconds, type SeatedRequest } from './seated-request.ts';

export interface QueueSettings {
  /** 0 where requests that cannot run at once are refused. */
  readonly queues: number;
  readonly handSize: number;
  /** The most requests that wait in one queue. */
  readonly lengthLimit: number;
}

/** Virtual time is wound back by one epoch when it has reached two, so that its fractions stay exact to microseconds. */
export const epochSeatSeconds = 2 ** 32;

interface QueueSetParts {
  readonly clock: Clock;
  readonly seats: LevelSeats;
  readonly demand: SeatDemand;
  readonly isExempt: boolean;
  /** Calls `retry` soon: seats that other threads give back are not announced. */
  later(retry: () => void): void;
}

export class QueueSet {
  readonly #parts: QueueSetParts;
  readonly #queues: Queue[] = [];
  /** Requests that run without a queue. */
  readonly #seated = new Set<SeatedRequest>();
  #settings: QueueSettings = { queues: 0, handSize: 0, lengthLimit: 0 };
  #limit = 0;
  /** Virtual time: seat-seconds that a queue that always had requests could have used so far. */
  #progress = 0;
  #updatedAt: number;
  /** Queues with requests, and the seats that these have or wait for. */
  #activeQueues = 0;
  #seatsRequested = 0;
  #arrivals = 0;
  #lastServed = 0;
  #waiting = 0;
  #executing = 0;
  #isRetrying = false;
  #lastProgress = 0;
  #lastStart = 0;
  /** How often virtual time was wound back; `unsound` where a queue was too far behind for that. */
  readonly epochs = { sound: 0, unsound: 0 };

  constructor(parts: QueueSetParts) {
    this.#parts = parts;
    this.#updatedAt = parts.clock.now();
  }

  get waiting(): number {
    return this.#waiting;
  }

  get executing(): number {
    return this.#executing;
  }

  get isIdle(): boolean {
    return this.#waiting === 0 && this.#executing === 0;
  }

  get limit(): number {
    return this.#limit;
  }

  get progress(): number {
    return this.#progress;
  }

  /** Virtual time when the last request started, and the virtual start of it. */
  get lastStart(): { readonly progress: number; readonly start: number } {
    return { progress: this.#lastProgress, start: this.#lastStart };
  }

  /** Virtual starts of queues in which requests wait. */
  get nextStarts(): readonly number[] {
    return this.#withWaiting.map(({ nextStart }) => nextStart);
  }

  get discountedStarts(): readonly number[] {
    return this.#withWaiting.map(({ nextStart, seatsInUse }) => nextStart - seatsInUse * estimatedSeconds);
  }

  get #withWaiting(): readonly Queue[] {
    return this.#queues.filter(({ waiting }) => waiting.length > 0);
  }

  get queues(): readonly Queue[] {
    return this.#queues;
  }

  get seated(): Iterable<SeatedRequest> {
    return this.#seated;
  }

  /** Queues that are too many serve what waits in them. */
  configure(settings: QueueSettings): void {
    this.#advance();
    this.#settings = settings;
    while (this.#queues.length < settings.queues) this.#queues.push(new Queue());
    this.#dropQueues();
  }

  setLimit(limit: number): void {
    this.#advance();
    this.#limit = limit;
    this.#serve();
  }

  /** Whether the request has its seats now, waits for them, or is refused. */
  enter(request: SeatedRequest, hand: readonly number[]): 'seated' | 'waiting' | 'queue-full' | 'concurrency-limit' {
    const now = this.#advance();
    request.arrivedAt = now;
    if (this.#settings.queues === 0) return this.#enterWithoutQueue(request, now);
    const queue = this.#choose(hand);
    if (this.#waiting === 0 && this.#parts.seats.take(request.seats, this.#limit)) {
      this.#arrive(queue);
      queue.notBefore(this.#progress);
      this.#seat(request, queue, now);
      request.stats.lengths.observe(1);
      return 'seated';
    }
    if (queue.waiting.length >= this.#settings.lengthLimit) return 'queue-full';
    this.#arrive(queue);
    this.#wait(request, queue, now);
    request.stats.lengths.observe(queue.waiting.length);
    this.#serve();
    return request.state === 'seated' ? 'seated' : 'waiting';
  }

  /** The request is answered: its seats are free, after a while where its watch events take some. */
  finish(request: SeatedRequest): void {
    const now = this.#advance();
    this.#executing--;
    const { queue } = request;
    if (queue === undefined) this.#seated.delete(request);
    else queue.finished(request, (now - request.startedAt) / 1000);
    request.state = 'lingering';
    if (request.extraMs === 0) this.giveBack(request);
  }

  /** Gives the seats of a finished request to others. */
  giveBack(request: SeatedRequest): void {
    const now = this.#advance();
    const { queue, seats } = request;
    request.state = 'over';
    this.#parts.seats.give(seats);
    this.#parts.demand.add(-seats, now);
    if (queue !== undefined) {
      queue.freed(request);
      this.#leaveQueue(queue, request);
    }
    this.#serve();
  }

  /** A waiting request is given up. */
  leave(request: SeatedRequest): void {
    const now = this.#advance();
    const queue = request.queue as Queue;
    queue.remove(request);
    queue.notBeforeArrival();
    this.#stopWaiting(request);
    request.state = 'over';
    this.#parts.demand.add(-request.seats, now);
    this.#leaveQueue(queue, request);
    this.#serve();
  }

  #enterWithoutQueue(request: SeatedRequest, now: number): 'seated' | 'concurrency-limit' {
    const { seats, isExempt, demand } = this.#parts;
    if (isExempt) seats.force(request.seats);
    else if (!seats.take(request.seats, this.#limit)) return 'concurrency-limit';
    demand.add(request.seats, now);
    this.#executing++;
    this.#seated.add(request);
    request.state = 'seated';
    request.startedAt = now;
    return 'seated';
  }

  /** The queue of the hand with the least work; the first in turn where none has any. */
  #choose(hand: readonly number[]): Queue {
    const offset = this.#arrivals++ % hand.length;
    let best = this.#queues[hand[offset] as number] as Queue;
    if (this.#waiting === 0) return best;
    for (let i = 1; i < hand.length; i++) {
      const queue = this.#queues[hand[(offset + i) % hand.length] as number] as Queue;
      if (queue.waitingWork < best.waitingWork) best = queue;
    }
    return best;
  }

  /** A queue that was empty begins at the present. */
  #arrive(queue: Queue): void {
    if (!queue.isEmpty) return;
    this.#activeQueues++;
    queue.nextStart = this.#progress;
  }

  #wait(request: SeatedRequest, queue: Queue, now: number): void {
    request.state = 'waiting';
    request.queue = queue;
    request.arrivalProgress = this.#progress;
    queue.add(request);
    queue.notBeforeArrival();
    this.#waiting++;
    this.#seatsRequested += request.seats;
    this.#parts.seats.wait(request.seats);
    this.#parts.demand.add(request.seats, now);
  }

  #stopWaiting(request: SeatedRequest): void {
    this.#waiting--;
    this.#parts.seats.wait(-request.seats);
  }

  /** Its seats are taken already. */
  #seat(request: SeatedRequest, queue: Queue, now: number): void {
    if (request.state === 'waiting') this.#stopWaiting(request);
    else {
      this.#seatsRequested += request.seats;
      this.#parts.demand.add(request.seats, now);
    }
    request.queue = queue;
    request.state = 'seated';
    request.startedAt = now;
    this.#executing++;
    this.#lastProgress = this.#progress;
    this.#lastStart = queue.nextStart;
    queue.started(request);
  }

  #leaveQueue(queue: Queue, { seats }: SeatedRequest): void {
    this.#seatsRequested -= seats;
    if (!queue.isEmpty) return;
    this.#activeQueues--;
    this.#dropQueues();
  }

  #dropQueues(): void {
    while (this.#queues.length > this.#settings.queues && this.#queues.at(-1)?.isEmpty) this.#queues.pop();
  }

  /** Seats as many waiting requests as there are seats for. */
  #serve(): void {
    while (this.#waiting > 0 && this.#serveNext());
    if (this.#waiting > 0) this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    this.#parts.later(() => {
      this.#isRetrying = false;
      this.#advance();
      this.#serve();
    });
  }

  /** The oldest request of the queue that would be done first. While it needs more seats than are free, the others wait. */
  #serveNext(): boolean {
    const count = this.#queues.length;
    let best: Queue | undefined;
    let bestAt = 0;
    for (let i = 1; i <= count; i++) {
      const at = (this.#lastServed + i) % count;
      const queue = this.#queues[at] as Queue;
      if (queue.waiting.length > 0 && (best === undefined || queue.nextFinish < best.nextFinish)) {
        best = queue;
        bestAt = at;
      }
    }
    const request = best?.waiting[0];
    if (best === undefined || request === undefined) return false;
    if (!this.#parts.seats.take(request.seats, this.#limit)) {
      request.stats.blocked++;
      return false;
    }
    best.remove(request);
    this.#lastServed = bestAt;
    this.#seat(request, best, this.#updatedAt);
    best.notBeforeArrival();
    request.onSeated?.();
    return true;
  }

  /** Brings virtual time up to now. */
  #advance(): number {
    const now = this.#parts.clock.now();
    if (now === this.#updatedAt) return now;
    if (this.#activeQueues > 0 && now > this.#updatedAt) {
      const seats = Math.min(this.#seatsRequested, Math.max(1, this.#limit));
      this.#progress += ((now - this.#updatedAt) / 1000) * (seats / this.#activeQueues);
      if (this.#progress >= 2 * epochSeatSeconds) this.#beginEpoch();
    }
    this.#updatedAt = now;
    return now;
  }

  #beginEpoch(): void {
    const past = Math.floor(this.#progress / epochSeatSeconds - 1) * epochSeatSeconds;
    this.#progress -= past;
    this.#lastProgress -= past;
    this.#lastStart -= past;
    let isSound = true;
    for (const queue of this.#queues) if (!queue.isEmpty && !queue.windBack(past)) isSound = false;
    this.epochs[isSound ? 'sound' : 'unsound']++;
  }
}
