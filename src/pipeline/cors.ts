// Pages of other origins: which of them a browser lets use this server.

import { userPattern } from '../base/text/user-pattern.ts';
import type { ApiRequest } from '../meta/exchange.ts';
import type { Stage } from './stage.ts';

const allowed = {
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
} as const;

/** A name, a port and a scheme; what is longer no browser sends. */
const maxOriginLength = 1024;

/** Before authentication: a browser asks whether it may send credentials without sending them. */
export function cors(origins: readonly string[]): Stage {
  const patterns = origins.map(userPattern);
  const originOf = (request: ApiRequest) => {
    const origin = request.header('origin');
    const isAllowed = origin && origin.length <= maxOriginLength && patterns.some((one) => one.matches(origin));
    return isAllowed ? origin : undefined;
  };
  return function cors(exchange) {
    const origin = originOf(exchange.request);
    if (origin === undefined) return undefined;
    exchange.addedHeaders = { 'access-control-allow-origin': origin, ...allowed };
    return exchange.request.method === 'OPTIONS' ? { status: 204, headers: {} } : undefined;
  };
}
