// How many requests are worked on at once: by priority and fairness, or by number only. Others are answered with 429.

import { SharedCounts } from '../base/shared-counts.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import { seatColumns } from '../flow-control/level-seats.ts';
import type { Exchange } from '../meta/exchange.ts';
import { isLongRunning } from '../meta/request-info.ts';
import { tooManyRequests } from '../meta/status.ts';
import { isMaster } from '../meta/user.ts';
import { BodyRooms } from './body-rooms.ts';
import type { Stage } from './stage.ts';

export interface InFlightLimits {
  /** Requests that only read; 0 for any number. */
  readonly maxRequestsInflight: number;
  /** Requests that may change something; 0 for any number. */
  readonly maxMutatingRequestsInflight: number;
}

type RequestKind = 'readOnly' | 'mutating';

const reads: ReadonlySet<string> = new Set(['get', 'list', 'head', 'options']);
const retryAfterSeconds = 1;

/** Columns of the counts that threads share. */
const columns: Readonly<Record<RequestKind, number>> = { readOnly: 0, mutating: 1 };
/** Where the columns of the seats of priority levels begin. */
export const firstSeatColumn = 2;

/** Counts of requests under way, for at most `threads` threads. */
export function inFlightCounts(threads: number, thread = 0, memory?: SharedArrayBuffer): SharedCounts {
  const { columns: seats, names } = seatColumns;
  return new SharedCounts({ columns: firstSeatColumn + seats, names, rows: threads }, thread, memory);
}

/** Counts the requests under way, of each kind. */
export class InFlight {
  readonly #limits: Readonly<Record<RequestKind, number>>;
  readonly #rooms = new BodyRooms();
  readonly #counts: SharedCounts;
  /** One function for all requests of a kind. */
  readonly #leave: Readonly<Record<RequestKind, () => void>> = {
    readOnly: () => this.#counts.add(columns.readOnly, -1),
    mutating: () => this.#counts.add(columns.mutating, -1),
  };

  constructor({ maxRequestsInflight, maxMutatingRequestsInflight }: InFlightLimits, counts = inFlightCounts(1)) {
    this.#limits = { readOnly: maxRequestsInflight, mutating: maxMutatingRequestsInflight };
    this.#counts = counts;
  }

  get counts(): Readonly<Record<RequestKind, number>> {
    return { readOnly: this.#counts.sum(columns.readOnly), mutating: this.#counts.sum(columns.mutating) };
  }

  /** Throws a 429 where too many are under way, and counts the bytes of bodies. Administrators are always let in: they may have to mend what is wrong. */
  enter(exchange: Exchange): void {
    const kind = reads.has(exchange.info.verb) ? 'readOnly' : 'mutating';
    const limit = this.#limits[kind];
    const isAdministrator = isMaster(exchange.user);
    if (limit > 0 && this.#counts.sum(columns[kind]) >= limit) {
      if (isAdministrator) return;
      throw tooManyRequests(retryAfterSeconds);
    }
    this.openRoom(exchange);
    this.#counts.add(columns[kind], 1);
    exchange.release = this.#leave[kind];
  }

  /** Counts the bytes of bodies from now on. Those of administrators have no limit. */
  openRoom(exchange: Exchange): void {
    if (isMaster(exchange.user)) return;
    exchange.room = this.#rooms.open((exchange.impersonator ?? exchange.user).name);
  }
}

interface LimitConfig {
  readonly inFlight: InFlight;
  /** Undefined where requests are limited by number only. */
  readonly flowControl?: FlowControl | undefined;
}

export function limit({ inFlight, flowControl }: LimitConfig): Stage {
  return flowControl === undefined ? limitNumber(inFlight) : limitByPriority(inFlight, flowControl);
}

/** Until its body is here such a request counts as a number: clients that send slowly hold no seats. */
const bodyVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch']);

function limitByPriority(inFlight: InFlight, flowControl: FlowControl): Stage {
  return function limit(exchange) {
    const { info } = exchange;
    if (isLongRunning(info)) return info.verb === 'watch' ? flowControl.enter(exchange) : undefined;
    if (bodyVerbs.has(info.verb)) {
      flowControl.classify(exchange);
      inFlight.enter(exchange);
      exchange.onBody = () => {
        exchange.release?.();
        exchange.release = undefined;
        return flowControl.enter(exchange);
      };
      return undefined;
    }
    const waiting = flowControl.enter(exchange);
    if (waiting === undefined) inFlight.openRoom(exchange);
    return waiting?.then(() => void inFlight.openRoom(exchange));
  };
}

function limitNumber(inFlight: InFlight): Stage {
  return function limit(exchange) {
    if (!isLongRunning(exchange.info)) inFlight.enter(exchange);
    return undefined;
  };
}
