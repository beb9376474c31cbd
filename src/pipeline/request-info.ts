// Reads the URL.

import { RecentMap } from '../base/recent-map.ts';
import type { Exchange } from '../meta/exchange.ts';
import { queryFlag } from '../meta/query.ts';
import { parseRequestInfo, type RequestInfo } from '../meta/request-info.ts';
import type { Stage } from './stage.ts';

/** Clients ask for the same few URLs over and over. Bounded, because they choose them. */
const parsed = new RecentMap<RequestInfo>(1000);
const maxPathLength = 300;

export const requestInfo: Stage = function requestInfo(exchange) {
  const { method, rawQuery } = exchange.request;
  // only the query of a read says what it is: a list or a watch
  const isClear = rawQuery === '' || (method !== 'GET' && method !== 'HEAD');
  exchange.info = isClear ? remembered(exchange) : parse(exchange);
  return undefined;
};

function remembered(exchange: Exchange): RequestInfo {
  const { method, path } = exchange.request;
  const key = `${method} ${path}`;
  let info = parsed.get(key);
  if (info === undefined) {
    info = parse(exchange);
    if (path.length <= maxPathLength) parsed.set(key, info);
  }
  return info;
}

function parse(exchange: Exchange): RequestInfo {
  const { method, path } = exchange.request;
  return parseRequestInfo(method, path, () => queryFlag(exchange.query, 'watch'));
}
