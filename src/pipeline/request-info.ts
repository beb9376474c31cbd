// Reads the URL.

import { RecentMap } from '../base/maps/recent-map.ts';
import type { ApiRequest, ApiResponse, Exchange } from '../meta/exchange.ts';
import { harmless } from '../meta/forbidden-request.ts';
import { queryFlag } from '../meta/query.ts';
import { isBareVerb, parseRequestInfo, type RequestInfo } from '../meta/request-info.ts';
import { goQuoted } from '../wording/go-format.ts';
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
  return isBareVerb(exchange.info) ? unreadable(exchange.request) : undefined;
};

/** compat: an old path without a resource is an error of the server, told in plain text before it is known who asks */
function unreadable({ path, rawQuery }: ApiRequest): ApiResponse {
  const url = harmless(rawQuery === '' ? path : `${path}?${rawQuery}`);
  const why = `failed to create RequestInfo: unable to determine kind and namespace from url, ${url}`;
  return {
    status: 500,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: `Internal Server Error: ${goQuoted(url)}: ${why}\n`,
  };
}

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
