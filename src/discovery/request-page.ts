// /debug/keelson/requests: the newest requests, with the time and the verdict of each stage.

import type { ApiResponse, Exchange, Sink } from '../meta/exchange.ts';
import { queryFlag } from '../meta/query.ts';
import { badRequest } from '../meta/status.ts';
import { maxWaitMs, type RingPage, type RingQuery, ringLimits } from '../trace/request-ring.ts';
import { requestsPath } from '../trace/tracer.ts';
import { type Routes, requireRead } from './routes.ts';

/** Reads the records of all threads. */
type ReadRequests = (query: RingQuery) => Promise<RingPage>;

const usualRecords = 500;

export function addRequestPage(routes: Routes, read: ReadRequests): void {
  routes.addUnlisted(requestsPath, async (exchange) => {
    requireRead(exchange);
    const query = {
      after: numberIn(exchange, 'after', Number.MAX_SAFE_INTEGER) ?? 0,
      most: numberIn(exchange, 'limit', ringLimits.records) ?? usualRecords,
    };
    return queryFlag(exchange.query, 'watch') ? watched(read, query) : listed(read, query);
  });
}

type PageQuery = Omit<RingQuery, 'waitMs'>;

async function listed(read: ReadRequests, query: PageQuery): Promise<ApiResponse> {
  const { lines, last } = await read({ ...query, waitMs: 0 });
  const body = `{"last":${last},"requests":[${lines.join(',\n')}]}\n`;
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

/** One record a line, from those that are there on, until the client leaves. */
async function watched(read: ReadRequests, query: PageQuery): Promise<ApiResponse> {
  const first = await read({ ...query, waitMs: 0 });
  return {
    status: 200,
    headers: { 'content-type': 'application/x-ndjson' },
    body: (sink) => stream(sink, read, query, first),
  };
}

async function stream(sink: Sink, read: ReadRequests, query: PageQuery, first: RingPage): Promise<void> {
  let hasStopped = false;
  const stopped = new Promise<undefined>((resolve) => {
    sink.onStop(() => {
      hasStopped = true;
      resolve(undefined);
    });
  });
  let page: RingPage | undefined = first;
  let after = query.after;
  while (page !== undefined && !hasStopped && !sink.isGone) {
    after = Math.max(after, page.last);
    const hasSpace = page.lines.length === 0 || sink.write(`${page.lines.join('\n')}\n`);
    if (!hasSpace) await sink.drained();
    page = await Promise.race([read({ after, most: ringLimits.records, waitMs: maxWaitMs }), stopped]);
  }
}

/** Undefined for an absent parameter. */
function numberIn({ query }: Exchange, name: string, most: number): number | undefined {
  const text = query.get(name);
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!/^\d{1,16}$/.test(text) || value > most)
    throw badRequest(`query parameter ${name}: a whole number of at most ${most} is expected`);
  return value;
}
