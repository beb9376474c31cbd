// Priority and fairness: each request gets seats of its priority level, at once while there are some, else from a queue.

import type { SharedCounts } from '../base/shared-counts.ts';
import type { Clock, Timer } from '../base/time/clock.ts';
import type { Deadline, Deadlines, DeadlineTarget } from '../base/time/deadlines.ts';
import type { EndListener, Exchange } from '../meta/exchange.ts';
import { tooManyRequests } from '../meta/status.ts';
import type { Flow, FlowHeaders } from './classifier.ts';
import type { RefusalReason } from './flow-stats.ts';
import { LevelSeats } from './level-seats.ts';
import { LevelTable } from './level-table.ts';
import { type KindUse, ReadWriteUse } from './level-use.ts';
import { estimateSeats, type Sizes } from './seat-estimate.ts';
import { type SeatEstimate, SeatedRequest } from './seated-request.ts';

const adjustmentMs = 10_000;
const maxWaitMs = 60_000;
/** How soon a thread looks for seats that another one gave back. */
const retryMs = 5;

interface FlowControlParts {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly serverSeats: number;
  /** How long a request without a deadline may take. */
  readonly requestTimeoutMs: number;
  readonly sizes: Sizes;
  readonly headers: FlowHeaders;
  /** Where all threads count; their counts of seats begin at `firstColumn`. */
  readonly counts: SharedCounts;
  readonly firstColumn: number;
}

export class FlowControl {
  readonly table: LevelTable;
  readonly kinds: ReadWriteUse;
  readonly #parts: FlowControlParts;
  #timer: Timer | undefined;

  constructor(parts: FlowControlParts) {
    const { clock, deadlines, serverSeats, headers, counts, firstColumn } = parts;
    this.#parts = parts;
    const later = (retry: () => void) => void deadlines.after(retryMs, { onDeadline: retry });
    this.kinds = new ReadWriteUse(clock.now());
    this.table = new LevelTable({
      ...{ serverSeats, headers },
      onAdjusted: (levels) => {
        const sum = (read: (level: (typeof levels)[number]) => number) =>
          levels.reduce((total, level) => total + read(level), 0);
        this.kinds.setWholes(
          sum(({ limits }) => limits.nominal),
          sum(({ places }) => places),
          clock.now(),
        );
      },
      partsOf: (level) => ({ clock, seats: new LevelSeats(counts, firstColumn, level), later }),
    });
  }

  /** Adjusts limits from now on, every ten seconds of this clock. */
  start(clock: Clock): void {
    this.#timer?.cancel();
    this.#timer = clock.after(adjustmentMs, () => {
      this.table.adjust();
      this.start(clock);
    });
  }

  close(): void {
    this.#timer?.cancel();
  }

  /** The flow of a request, which its answer names. */
  classify(exchange: Exchange): Flow {
    const flow = this.table.classifier.classify(exchange.user, exchange.info);
    const { schema, level } = flow.stats;
    exchange.notes?.classified({ flowSchema: schema, priorityLevel: level });
    const { addedHeaders } = exchange;
    exchange.addedHeaders = addedHeaders === undefined ? flow.headers : { ...addedHeaders, ...flow.headers };
    return flow;
  }

  /** Undefined when the request has its seats. Throws a 429, at once or later, when it is refused. */
  enter(exchange: Exchange): Promise<undefined> | undefined {
    const flow = this.classify(exchange);
    const { level, stats } = flow;
    const onWatches = (watches: number) => stats.watches.observe(watches);
    const estimate = estimateSeats(exchange, level.maxSeats, this.#parts.sizes, onWatches);
    const request = new ControlledRequest(exchange, flow, estimate, this.#parts, this.kinds.of(exchange.info.verb));
    stats.seats.observe(request.seats);
    const result = level.queues.enter(request, flow.hand);
    if (result === 'seated') return request.begin();
    if (result === 'waiting') return request.wait(waitLimit(exchange, this.#parts.requestTimeoutMs));
    throw request.refuse(result);
  }
}

/** A quarter of the time that the request has. */
function waitLimit({ startedAt, deadline }: Exchange, requestTimeoutMs: number): number {
  const ms = deadline === Number.POSITIVE_INFINITY ? requestTimeoutMs : deadline - startedAt;
  return startedAt + Math.min(maxWaitMs, ms / 4);
}

/** A request from its arrival until its seats are given back. */
class ControlledRequest extends SeatedRequest implements DeadlineTarget, EndListener {
  readonly #exchange: Exchange;
  readonly #flow: Flow;
  readonly #parts: Pick<FlowControlParts, 'clock' | 'deadlines'>;
  readonly #kind: KindUse;
  #deadline: Deadline | undefined;
  #onRefused: ((error: Error) => void) | undefined;

  constructor(
    exchange: Exchange,
    flow: Flow,
    estimate: SeatEstimate,
    parts: Pick<FlowControlParts, 'clock' | 'deadlines'>,
    kind: KindUse,
  ) {
    super(exchange, flow, estimate);
    this.#exchange = exchange;
    this.#flow = flow;
    this.#parts = parts;
    this.#kind = kind;
  }

  begin(): undefined {
    const { stats } = this.#flow;
    stats.dispatched++;
    stats.executing++;
    stats.executingSeats += this.seats;
    this.#countExecuting(1, this.startedAt);
    this.#flow.level.use.seats.add(this.seats, this.startedAt);
    this.#flow.level.use.demand.add(this.seats, this.startedAt);
    this.#exchange.release = () => this.#finish();
    // a watch whose state is not sent by then gives its seats back
    if (this.#isWatch) this.#deadline = this.#parts.deadlines.at(this.#exchange.startedAt + maxWaitMs, this);
  }

  wait(until: number): Promise<undefined> {
    const { stats } = this.#flow;
    stats.waiting++;
    stats.waitingSeats += this.seats;
    this.#countWaiting(1, this.arrivedAt);
    return new Promise((resolve, reject) => {
      this.#onRefused = reject;
      this.onSeated = () => {
        this.#stopWaiting();
        stats.waits.executed.observe((this.startedAt - this.arrivedAt) / 1000);
        this.begin();
        resolve(undefined);
      };
      this.#deadline = this.#parts.deadlines.at(until, this);
      this.#exchange.onEnd(this);
    });
  }

  refuse(reason: RefusalReason): Error {
    const { stats, level } = this.#flow;
    stats.refused[reason]++;
    level.retryAfter.refused(this.#parts.clock.now());
    return tooManyRequests(level.retryAfter.seconds);
  }

  onDeadline(): void {
    if (this.state === 'waiting') this.#leave(this.refuse('time-out'));
    else if (this.state === 'seated') this.#finish();
    else if (this.state === 'lingering') this.#giveBack();
  }

  /** The client left, or the time of the request is up. */
  onEnded(error: Error): void {
    this.#flow.stats.refused.cancelled++;
    this.#leave(error);
  }

  get #isWatch(): boolean {
    return this.#exchange.info.verb === 'watch';
  }

  #leave(error: Error): void {
    const { stats, level } = this.#flow;
    this.#stopWaiting();
    stats.waits.refused.observe((this.#parts.clock.now() - this.arrivedAt) / 1000);
    level.queues.leave(this);
    this.#onRefused?.(error);
  }

  #stopWaiting(): void {
    const { stats } = this.#flow;
    stats.waiting--;
    stats.waitingSeats -= this.seats;
    this.#countWaiting(-1, this.#parts.clock.now());
    this.#exchange.offEnd(this);
    this.#clearDeadline();
  }

  #clearDeadline(): void {
    if (this.#deadline !== undefined) this.#parts.deadlines.cancel(this.#deadline);
    this.#deadline = undefined;
  }

  #finish(): void {
    if (this.state !== 'seated') return;
    const { stats, level } = this.#flow;
    this.#clearDeadline();
    stats.executing--;
    level.queues.finish(this);
    const now = this.#parts.clock.now();
    this.#countExecuting(-1, now);
    stats.executions[this.#isWatch ? 'watch' : 'regular'].observe((now - this.startedAt) / 1000);
    if (this.extraMs === 0) this.#countFreed(now);
    else this.#deadline = this.#parts.deadlines.after(this.extraMs, this);
  }

  #giveBack(): void {
    this.#flow.level.queues.giveBack(this);
    this.#countFreed(this.#parts.clock.now());
  }

  #countExecuting(change: 1 | -1, now: number): void {
    this.#flow.level.use.executing.add(change, now);
    this.#kind.executing.add(change, now);
  }

  #countWaiting(change: 1 | -1, now: number): void {
    const { use } = this.#flow.level;
    use.waiting.add(change, now);
    use.demand.add(change * this.seats, now);
    this.#kind.waiting.add(change, now);
  }

  #countFreed(now: number): void {
    const { stats, level } = this.#flow;
    stats.executingSeats -= this.seats;
    level.use.seats.add(-this.seats, now);
    level.use.demand.add(-this.seats, now);
  }
}
