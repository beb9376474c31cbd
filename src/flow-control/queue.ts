// One queue of a priority level: requests of a few flows, in their order.

import { estimatedSeconds, type SeatedRequest } from './seated-request.ts';

export class Queue {
  readonly waiting: SeatedRequest[] = [];
  readonly executing = new Set<SeatedRequest>();
  /** Virtual time at which the next request starts. */
  nextStart = 0;
  /** Seats of requests that run or whose seats are still in use. */
  seatsInUse = 0;
  /** Seat-seconds of those that wait. */
  waitingWork = 0;
  /** Requests whose seats are not given back. */
  #seated = 0;

  get isEmpty(): boolean {
    return this.waiting.length === 0 && this.#seated === 0;
  }

  /** Virtual time at which the oldest waiting request would be done. */
  get nextFinish(): number {
    return this.nextStart + (this.waiting[0]?.work ?? 0);
  }

  add(request: SeatedRequest): void {
    this.waiting.push(request);
    this.waitingWork += request.work;
  }

  remove(request: SeatedRequest): void {
    if (this.waiting[0] === request) this.waiting.shift();
    else this.waiting.splice(this.waiting.indexOf(request), 1);
    this.waitingWork = this.waiting.length === 0 ? 0 : this.waitingWork - request.work;
  }

  started(request: SeatedRequest): void {
    this.executing.add(request);
    this.#seated++;
    this.seatsInUse += request.seats;
    this.nextStart += request.work;
  }

  /** Corrects the estimate by the time that the request really took. */
  finished(request: SeatedRequest, seconds: number): void {
    this.executing.delete(request);
    this.nextStart -= request.initialSeats * (estimatedSeconds - seconds);
    this.notBeforeArrival();
  }

  /** The seats of a finished request are free. */
  freed(request: SeatedRequest): void {
    this.#seated--;
    this.seatsInUse -= request.seats;
  }

  /** Moves the virtual times of all requests back. False where one of them would be before the beginning of time. */
  windBack(seatSeconds: number): boolean {
    this.nextStart -= seatSeconds;
    let earliest = this.nextStart;
    for (const request of this.waiting) {
      request.arrivalProgress -= seatSeconds;
      earliest = Math.min(earliest, request.arrivalProgress);
    }
    return earliest >= 0;
  }

  /** A queue that used less than its part does not save it up. */
  notBeforeArrival(): void {
    const oldest = this.waiting[0];
    if (oldest !== undefined) this.notBefore(oldest.arrivalProgress);
  }

  notBefore(progress: number): void {
    if (this.nextStart < progress) this.nextStart = progress;
  }
}
