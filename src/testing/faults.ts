// What a test can make go wrong: requests that fail, wait or get no answer, watches that end, history, tokens and the store.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { plannedFailure } from '../meta/status.ts';
import { withSlowBody } from './answer-faults.ts';
import { type ArgumentType, number, oneOf, position, statusCode, text } from './given-options.ts';
import { matches, type RequestFilter, seenRequest } from './request-filter.ts';

/** Which of the requests that match. */
export interface FaultTurns {
  /** The first one it happens to, counted from 1; 1 when not given. */
  readonly nth?: number;
  /** How many in a row; 1 when not given, `Infinity` for all. */
  readonly times?: number;
}

export interface FailOptions extends FaultTurns {
  /** 500 when not given. */
  readonly status?: number;
  /** Such as `Conflict` or `Expired`; the usual one of the status when not given. */
  readonly reason?: string;
  readonly message?: string;
  /** For clients that wait before they try again. */
  readonly retryAfterSeconds?: number;
}

export interface DropOptions extends FaultTurns {
  /** `request`, the default: nothing is done. `answer`: the request is done, and the client receives no answer. */
  readonly what?: 'request' | 'answer';
}

export interface ThrottleOptions extends FaultTurns {
  /** 1 when not given. */
  readonly retryAfterSeconds?: number;
}

export interface SlowOptions extends FaultTurns {
  /** 1024 when not given. */
  readonly bytesPerSecond?: number;
}

const turnTypes = { nth: position, times: position } satisfies Record<keyof FaultTurns, unknown>;

type PlannedName = 'fail' | 'delay' | 'drop' | 'throttle' | 'expireLists' | 'slowBodies';

/** The options of each fault of requests. */
export const faultTypes: Readonly<Record<PlannedName, Readonly<Record<string, ArgumentType>>>> = {
  fail: { ...turnTypes, status: statusCode, reason: text, message: text, retryAfterSeconds: number } satisfies Record<
    keyof FailOptions,
    unknown
  >,
  delay: turnTypes,
  throttle: { ...turnTypes, retryAfterSeconds: number } satisfies Record<keyof ThrottleOptions, unknown>,
  expireLists: turnTypes,
  slowBodies: { ...turnTypes, bytesPerSecond: position } satisfies Record<keyof SlowOptions, unknown>,
  drop: { ...turnTypes, what: oneOf('request', 'answer') } satisfies Record<keyof DropOptions, unknown>,
};

/** A fault that waits for its requests. */
export interface Fault {
  /** How many requests it has happened to. */
  readonly hits: number;
  /** It does not happen any more. */
  cancel(): void;
}

type Effect =
  | { readonly kind: 'fail'; readonly failure: Parameters<typeof plannedFailure>[0] }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  | { readonly kind: 'drop'; readonly what: 'request' | 'answer' };

class PlannedFault implements Fault {
  readonly filter: RequestFilter;
  readonly effect: Effect;
  readonly cancel: () => void;
  readonly #first: number;
  readonly #last: number;
  #seen = 0;
  hits = 0;

  constructor(filter: RequestFilter, effect: Effect, { nth = 1, times = 1 }: FaultTurns, cancel: (me: Fault) => void) {
    this.filter = filter;
    this.effect = effect;
    this.#first = nth;
    this.#last = nth + times - 1;
    this.cancel = () => cancel(this);
  }

  /** Whether it happens to the request that has just come. */
  takes(): boolean {
    this.#seen++;
    const taken = this.#seen >= this.#first && this.#seen <= this.#last;
    if (taken) this.hits++;
    return taken;
  }
}

/** Faults of requests, in the order in which they were added. */
export class RequestFaults {
  #planned: PlannedFault[] = [];
  readonly #dropped = new WeakSet<Exchange>();
  readonly #slow = new WeakMap<Exchange, number>();

  plan(filter: RequestFilter, effect: Effect, limits: FaultTurns): Fault {
    const cancel = (fault: Fault) => {
      this.#planned = this.#planned.filter((other) => other !== fault);
    };
    const fault = new PlannedFault(filter, effect, limits, cancel);
    this.#planned.push(fault);
    return fault;
  }

  clear(): void {
    this.#planned = [];
  }

  /** Happens to a request before it is done. */
  before(exchange: Exchange): Promise<undefined> | undefined {
    if (this.#planned.length === 0) return undefined;
    const request = seenRequest(exchange);
    const effects = this.#planned.filter((fault) => matches(fault.filter, request) && fault.takes());
    return effects.length === 0 ? undefined : this.#happen(exchange, effects);
  }

  /** The part of the answer that is sent. */
  after(exchange: Exchange, response: ApiResponse): ApiResponse {
    if (this.#dropped.has(exchange)) return { ...response, isDropped: true };
    const bytesPerSecond = this.#slow.get(exchange);
    return bytesPerSecond === undefined ? response : withSlowBody(response, bytesPerSecond);
  }

  async #happen(exchange: Exchange, faults: readonly PlannedFault[]): Promise<undefined> {
    for (const { effect } of faults) {
      if (effect.kind === 'delay') await passed(effect.ms);
      if (effect.kind === 'slow') this.#slow.set(exchange, effect.bytesPerSecond);
      if (effect.kind === 'drop') this.#dropped.add(exchange);
      if (effect.kind === 'fail') throw plannedFailure(effect.failure);
      if (effect.kind === 'drop' && effect.what === 'request') throw plannedFailure({ code: 503 });
    }
  }
}

/** In real time: a request that is delayed must come through though the clock of the server stands still. */
const passed = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, Math.min(ms, maxTimerMs)));
/** Timers of Node that are longer fire at once. */
const maxTimerMs = 2 ** 31 - 1;
