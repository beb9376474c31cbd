// Passes requests for aggregated APIs on to the servers that have them. The client is known and allowed by then; the
// other server reads the user from headers, over a connection with the proxy's certificate.

import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Deadlines } from '../base/time/deadlines.ts';
import { timeLimited } from '../base/time/time-limit.ts';
import { answerHeaders, type IdentityHeaders } from '../handlers/connect/passed-headers.ts';
import type { ApiRequest, ApiResponse, Exchange } from '../meta/exchange.ts';
import { isLongRunning } from '../meta/request-info.ts';
import type { OpenSpan } from '../meta/request-notes.ts';
import { ApiError } from '../meta/status.ts';
import { tunnelTo } from '../transport/http/tunnel.ts';
import type { Destination } from '../webhooks/service-destination.ts';
import { wording } from '../webhooks/webhook-failure.ts';
import type { BackendAnswer, BackendRequest } from './backend-call.ts';
import { type Ending, SignalEnding } from './ending.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { forwardedPath } from './forwarded-path.ts';
import { plainError, redirectRefused } from './plain-error.ts';
import { relayedAnswer } from './relayed-answer.ts';
import { authorityOf, type RemoteBackend } from './remote-backend.ts';

export interface ProxyDeps {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
  readonly identityHeaders: IdentityHeaders;
  /** Whether answers that lead the client elsewhere are refused. */
  readonly rejectsRedirects: boolean;
  /** Bytes of a body that does not come from a connection. */
  readonly maxBodyBytes: number;
  notice(fields: object, message: string): void;
}

/** Makes no promise where none is needed: each would cost more than the work between them. */
export function proxied(exchange: Exchange, backend: RemoteBackend, deps: ProxyDeps): Promise<ApiResponse> {
  exchange.passedOn = 'asked';
  const unlocated = (error: unknown) => {
    deps.notice({ path: exchange.request.path, why: (error as Error).message }, 'an aggregated API cannot be located');
    return unavailable(exchange);
  };
  let destination: MaybePromise<Destination>;
  try {
    destination = backend.locate();
  } catch (error) {
    return Promise.resolve(unlocated(error));
  }
  if (!isPromise(destination)) return passOn(exchange, backend, destination, deps);
  return destination.then((to) => passOn(exchange, backend, to, deps), unlocated);
}

function passOn(exchange: Exchange, backend: RemoteBackend, to: Destination, deps: ProxyDeps): Promise<ApiResponse> {
  const failing = (error: unknown) => unreached(exchange, error);
  try {
    const place = { to, ...forwardedPath(exchange.request) };
    if (exchange.request.wantsProtocol !== undefined) return upgrade(exchange, backend, place, deps).catch(failing);
    const span = callSpan(exchange, to);
    const made = requestFor(exchange, place, deps, span?.headers);
    const host = backend.hostAt(to);
    const ask = (backendRequest: BackendRequest) => host.ask(backendRequest, endingOf(exchange));
    const asked = isPromise(made) ? made.then(ask) : ask(made);
    return (span === undefined ? asked : endingWith(span, asked)).then((answer) => {
      const response = relay(exchange, answer, deps);
      return isPromise(response) ? response.catch(failing) : response;
    }, failing);
  } catch (error) {
    return new Promise((resolve) => resolve(unreached(exchange, error)));
  }
}

/** Throws the error that the client receives as a Status. */
function unreached(exchange: Exchange, error: unknown): ApiResponse {
  exchange.throwIfEnded();
  if (error instanceof ApiError) throw error;
  return plainError(503, reachError(exchange, wording(error)));
}

/** compat: of an upgrade that fails only the reason is told */
const reachError = ({ request }: Exchange, why: string): string =>
  request.wantsProtocol === undefined ? `error trying to reach service: ${why}` : why;

export function unavailable(exchange: Exchange): ApiResponse {
  exchange.passedOn = 'refused';
  return plainError(503, 'service unavailable');
}

interface Place {
  readonly to: Destination;
  readonly path: string;
  readonly query: string;
}

function relay(exchange: Exchange, answer: BackendAnswer, deps: ProxyDeps): MaybePromise<ApiResponse> {
  const { info, request } = exchange;
  const { status, headers } = answer;
  const redirects = deps.rejectsRedirects && status >= 300 && status <= 399 && headers['location'] !== undefined;
  if (redirects || !isStatus(status)) {
    answer.body.cancel();
    return redirects ? redirectRefused : plainError(502, `invalid status ${status}`);
  }
  return relayedAnswer(answer, {
    method: request.method,
    isLongRunning: isLongRunning(info),
    deadlines: deps.deadlines,
    deadline: exchange.deadline,
    ending: exchange,
    maxBytes: maxBytesFor(exchange),
  });
}

/** Controllers hold an answer in memory and parse it at once. */
const maxControllerBytes = 8 * 1024 * 1024;

const maxBytesFor = ({ request, info }: Exchange): number =>
  request.peer.address === 'loopback' && info.verb !== 'watch' ? maxControllerBytes : Number.POSITIVE_INFINITY;

const isStatus = (status: number) => status >= 200 && status <= 599;

/** Discovery has to be quick: clients ask every server for it. */
const discoveryMs = 5000;

function endingOf(exchange: Exchange): Ending {
  const { info } = exchange;
  if (info.isResource || info.path.split('/').filter(Boolean).length !== 3) return exchange;
  return new SignalEnding(timeLimited(exchange.signal, discoveryMs));
}

/** The span of a call of another server, while a trace is taken. */
function callSpan({ notes, request: { method } }: Exchange, to: Destination): OpenSpan | undefined {
  if (notes === undefined) return undefined;
  const attributes = { 'http.request.method': method, 'server.address': authorityOf(to) };
  return notes.begin(`HTTP ${method}`, attributes, 'client');
}

async function endingWith(span: OpenSpan, asked: Promise<BackendAnswer>): Promise<BackendAnswer> {
  try {
    const answer = await asked;
    span.end({ 'http.response.status_code': answer.status });
    return answer;
  } catch (error) {
    span.end(undefined, (error as Error).message);
    throw error;
  }
}

function requestFor(
  exchange: Exchange,
  { to, path, query }: Place,
  deps: ProxyDeps,
  traceHeaders: OpenSpan['headers'] | undefined,
): MaybePromise<BackendRequest> {
  const { request } = exchange;
  const authority = authorityOf(to);
  const { identityHeaders } = deps;
  const target = { authority, path, upgrades: false, identityHeaders, traceHeaders };
  const { headers, ownHeaders } = forwardedHeaders(exchange, target);
  const whole = (body: BackendRequest['body']): BackendRequest => {
    const length = lengthOf(request, body);
    if (length !== undefined) ownHeaders['content-length'] = length;
    return { method: request.method, path: path + query, authority, headers, ownHeaders, body };
  };
  return withoutBody.has(request.method) ? whole(undefined) : bodyOf(request, deps.maxBodyBytes).then(whole);
}

/** The content length for the other server; "0" for an absent body if one may be expected. */
function lengthOf(request: ApiRequest, body: BackendRequest['body']): string | undefined {
  if (body === undefined) return usuallyWithBody.has(request.method) ? '0' : undefined;
  return body instanceof Uint8Array ? String(body.length) : request.header('content-length');
}

const usuallyWithBody = new Set(['POST', 'PUT', 'PATCH']);
const withoutBody = new Set(['GET', 'HEAD']);
/** Bodies up to this size are read before they are passed on: that costs less than a stream. */
const smallBytes = 64 * 1024;

/** The body of a request, undefined if it has none. */
async function bodyOf(request: ApiRequest, limit: number): Promise<BackendRequest['body']> {
  const declared = request.header('content-length');
  const length = declared === undefined ? undefined : Number(declared);
  if (length === 0) return undefined;
  const isSmall = length !== undefined && length <= smallBytes;
  const chunks = isSmall ? undefined : request.bodyChunks?.();
  if (chunks !== undefined) return length === undefined ? undeclared(chunks) : chunks;
  const bytes = await request.readBody(limit);
  return bytes.length === 0 ? undefined : bytes;
}

/** Whether there is a body at all is known when its first bytes are there. */
async function undeclared(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  return first.done === true ? undefined : continued(first.value, iterator);
}

async function* continued(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function upgrade(
  exchange: Exchange,
  backend: RemoteBackend,
  place: Place,
  deps: ProxyDeps,
): Promise<ApiResponse> {
  const { request } = exchange;
  const { to, path, query } = place;
  const authority = authorityOf(to);
  const { identityHeaders } = deps;
  const forwarded = forwardedHeaders(exchange, { authority, path, upgrades: true, identityHeaders });
  const upgradeRequest = { method: request.method, path: path + query, authority, ...forwarded, body: undefined };
  const answer = await backend.hostAt(to).upgrade(upgradeRequest, exchange);
  const { status, upgraded, body } = answer;
  if (upgraded !== undefined) {
    const headers = answerHeaders(answer.headers, '', true);
    return { status: 101, headers, tunnel: tunnelTo(upgraded.socket, upgraded.early) };
  }
  if (status < 400 || !isStatus(status)) {
    body.cancel();
    return plainError(503, `invalid upgrade response: status code ${status}`);
  }
  return relayedAnswer(answer, {
    maxBytes: Number.POSITIVE_INFINITY,
    method: request.method,
    isLongRunning: false,
    deadlines: deps.deadlines,
    deadline: exchange.deadline,
    ending: exchange,
  });
}
