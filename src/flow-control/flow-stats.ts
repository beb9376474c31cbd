// What is counted of the requests of one FlowSchema in one priority level, in plain numbers for metrics.

import { Histogram } from '../base/histogram.ts';

export type RefusalReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

const secondsBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const seatBounds = [1, 2, 4, 8, 16, 32, 64, 100];
const lengthBounds = [0, 10, 25, 50, 100, 250, 500, 1000];
const watchBounds = [0, 1, 10, 100, 1000, 10_000];

export class FlowStats {
  readonly schema: string;
  readonly level: string;
  dispatched = 0;
  executing = 0;
  executingSeats = 0;
  waiting = 0;
  waitingSeats = 0;
  /** How often a request was next and there were too few free seats for it. */
  blocked = 0;
  readonly refused: Record<RefusalReason, number> = {
    'queue-full': 0,
    'concurrency-limit': 0,
    'time-out': 0,
    cancelled: 0,
  };
  readonly seats = new Histogram(seatBounds);
  /** Requests in the queue after one was added. */
  readonly lengths = new Histogram(lengthBounds);
  readonly watches = new Histogram(watchBounds);
  /** Seconds in a queue, by whether the request was executed then. */
  readonly waits = { executed: new Histogram(secondsBounds), refused: new Histogram(secondsBounds) };
  readonly executions = { regular: new Histogram(secondsBounds), watch: new Histogram(secondsBounds) };

  constructor(schema: string, level: string) {
    this.schema = schema;
    this.level = level;
  }
}
