// Reads the URL.

import { RecentMap } from '../base/recent-map.ts';
import type { Exchange } from '../meta/exchange.ts';
import { queryFlag } from '../meta/query.ts';
import { parseRequestInfo, type RequestInfo } from '../meta/request-info.ts';
import type { Stage } from './stage.ts';

/** Clients ask for the same few URLs over and over. Bounded, because they choose them. */
const parsed: ReadonlyMap<string, RecentMap<RequestInfo>> = new Map(
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, new RecentMap(500)]),
);
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
  const recent = parsed.get(method);
  const known = recent?.get(path);
  if (known !== undefined) return known;
  const info = parse(exchange);
  if (path.length <= maxPathLength) recent?.set(path, info);
  return info;
}

function parse(exchange: Exchange): RequestInfo {
  const { method, path } = exchange.request;
  return parseRequestInfo(method, path, () => queryFlag(exchange.query, 'watch'));
}
