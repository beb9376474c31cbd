// How many requests are worked on at once: those past the limit are told to come again.

import { SharedCounts } from '../base/shared-counts.ts';
import type { Exchange } from '../meta/exchange.ts';
import { isLongRunning } from '../meta/request-info.ts';
import { tooManyRequests } from '../meta/status.ts';
import { mastersGroup } from '../meta/user.ts';
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

/** Counts of requests under way, for at most `threads` threads. */
export function inFlightCounts(threads: number, thread = 0, memory?: SharedArrayBuffer): SharedCounts {
  return new SharedCounts({ columns: 2, rows: threads }, thread, memory);
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
    const isAdministrator = exchange.user.groups.includes(mastersGroup);
    if (limit > 0 && this.#counts.sum(columns[kind]) >= limit) {
      if (isAdministrator) return;
      throw tooManyRequests(retryAfterSeconds);
    }
    if (!isAdministrator) exchange.room = this.#rooms.open((exchange.impersonator ?? exchange.user).name);
    this.#counts.add(columns[kind], 1);
    exchange.release = this.#leave[kind];
  }
}

export function limit({ inFlight }: { readonly inFlight: InFlight }): Stage {
  return function limit(exchange) {
    if (!isLongRunning(exchange.info)) inFlight.enter(exchange);
    return undefined;
  };
}
