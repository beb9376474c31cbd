// One line a request: those that failed or were slow at level 2, all of them at level 3. No query, header or body is in
// it, where tokens and secrets are.

import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { ServerLog } from './server-log.ts';

/** As kube-apiserver has it for its traces. */
const slowMs = 500;

interface StageTime {
  readonly stage: string;
  readonly ms: number;
}

export class RequestLog {
  readonly #log: ServerLog;
  /** The stage of a request that took longest so far. */
  readonly #slowest = new WeakMap<Exchange, StageTime>();

  constructor(log: ServerLog) {
    this.#log = log;
  }

  /** Whether stages are to be timed. */
  get isOn(): boolean {
    return this.#log.levels.of.requests >= 2;
  }

  onStage(exchange: Exchange, stage: string, ms: number): void {
    if (ms > (this.#slowest.get(exchange)?.ms ?? -1)) this.#slowest.set(exchange, { stage, ms });
  }

  onAnswer(exchange: Exchange, response: ApiResponse, ms: number): void {
    const hasFailed = response.status >= (isOwn(exchange) ? 500 : 400);
    const isSlow = ms >= slowMs;
    if (!hasFailed && !isSlow && this.#log.levels.of.requests < 3) return;
    const slowest = isSlow ? this.#slowest.get(exchange) : undefined;
    const words = hasFailed ? 'request failed' : isSlow ? 'slow request' : 'request';
    this.#log.detail('requests', { ...lineOf(exchange, response, ms), ...stageIn(slowest) }, words);
  }
}

/** The server and its controllers look for objects before they make them: a 404 or a 409 is an answer, not a failure. */
const isOwn = ({ request: { peer } }: Exchange) => peer.address === 'loopback';

function lineOf({ id, info, user, request }: Exchange, { status, body }: ApiResponse, ms: number): object {
  return {
    verb: info?.verb ?? request.method.toLowerCase(),
    path: request.path,
    user: user.name,
    status,
    ms,
    // streams have no length yet
    ...(typeof body === 'function' ? {} : { bytes: body?.length ?? 0 }),
    requestId: id,
  };
}

const stageIn = (slowest: StageTime | undefined) =>
  slowest === undefined ? {} : { stage: slowest.stage, stageMs: slowest.ms };
