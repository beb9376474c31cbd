// How long a request may take before its answer begins: what the server allows, or less where the client says so.

import { durationProblem, parseDuration } from '../meta/duration.ts';
import type { Exchange } from '../meta/exchange.ts';
import { isLongRunning } from '../meta/request-info.ts';
import { badRequest } from '../meta/status.ts';
import type { Stage } from './stage.ts';

interface DeadlineConfig {
  readonly requestTimeoutMs: number;
}

export function deadline({ requestTimeoutMs }: DeadlineConfig): Stage {
  return function deadline(exchange) {
    const asked = exchange.request.rawQuery === '' ? undefined : askedMs(exchange);
    const allowed = asked === undefined || asked > requestTimeoutMs ? requestTimeoutMs : asked;
    exchange.deadline = exchange.startedAt + allowed;
    return undefined;
  };
}

/** Undefined where the client does not limit it. A watch lasts as long as `timeoutSeconds` says instead. */
function askedMs({ query, info }: Exchange): number | undefined {
  const text = query.get('timeout') ?? '';
  if (text === '' || isLongRunning(info)) return undefined;
  const seconds = parseDuration(text);
  if (seconds === undefined)
    throw badRequest(`invalid timeout specified in the request URL - ${durationProblem(text.slice(0, 100))}`);
  return seconds > 0 ? seconds * 1000 : undefined;
}
