// Reads the URL.

import { queryFlag } from '../meta/query.ts';
import { parseRequestInfo } from '../meta/request-info.ts';
import type { Stage } from './stage.ts';

export const requestInfo: Stage = function requestInfo(exchange) {
  const { method, path } = exchange.request;
  exchange.info = parseRequestInfo(method, path, () => queryFlag(exchange.query, 'watch'));
  return undefined;
};
