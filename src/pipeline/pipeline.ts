// The way of a request: the stages in the order in which they run, and the one exit for errors.

import { randomUUID } from 'node:crypto';
import type { Auditor } from '../audit/auditor.ts';
import type { Authenticator } from '../authn/authenticator.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Deadline, DeadlineTarget } from '../base/time/deadlines.ts';
import { errorForm, wantsPretty } from '../codec/accept.ts';
import type { FlowControl } from '../flow-control/flow-control.ts';
import type { AccessControl } from '../meta/access.ts';
import type { Dialect } from '../meta/dialect.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type BodyStream,
  Exchange,
  type GoneListener,
  type Handler,
} from '../meta/exchange.ts';
import type { MovedRequest } from '../meta/move-to-lane.ts';
import { ApiError, clientGone, requestTimeout, unexpectedError, unknownResource } from '../meta/status.ts';
import { stageSpanName, verbAttributes } from '../trace/span-names.ts';
import type { Tracer } from '../trace/tracer.ts';
import { auditedAuthentication, auditStages, resumedAudit } from './audit.ts';
import { type AuthenticationObserver, authenticate } from './authenticate.ts';
import { type AuthorizationObserver, authorize } from './authorize.ts';
import { cors } from './cors.ts';
import { deadline } from './deadline.ts';
import { type ImpersonationObserver, impersonate } from './impersonate.ts';
import { type Interceptor, interceptStages } from './intercept.ts';
import { type Lane, movingLarge, resume } from './lane.ts';
import { type InFlight, limit } from './limit.ts';
import { requestInfo } from './request-info.ts';
import { type Served, serve } from './serve.ts';
import type { Stage } from './stage.ts';
import { writeError } from './write-error.ts';

/** Told how long each stage took, while that is wanted. */
interface StageTiming {
  readonly isOn: boolean;
  onStage(exchange: Exchange, stage: string, ms: number): void;
}

/** A `panic` is an error that no stage expected. */
export type LateOutcome = 'ok' | 'error' | 'panic';

export interface PipelineConfig extends Served {
  readonly authenticators: readonly Authenticator[];
  readonly authenticationObserver?: AuthenticationObserver;
  readonly authorizationObserver?: AuthorizationObserver;
  readonly impersonationObserver?: ImpersonationObserver;
  readonly access: AccessControl;
  readonly dialect: Dialect;
  /** Undefined where nothing is recorded. */
  readonly audit: Auditor | undefined;
  readonly clock: Clock;
  readonly requestTimeoutMs: number;
  readonly inFlight: InFlight;
  /** Undefined where requests are limited by number only. */
  readonly flowControl?: FlowControl | undefined;
  /** Expressions of origins whose pages may use the server. */
  readonly corsOrigins?: readonly string[];
  /** Headers of every answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timing?: StageTiming;
  /** Takes traces of requests. */
  readonly tracer?: Tracer | undefined;
  /** Answers requests for the web console, where that is on. */
  readonly console?: ((exchange: Exchange) => MaybePromise<ApiResponse | undefined>) | undefined;
  /** Serves large requests; undefined where this thread serves all. */
  readonly lane?: Lane | undefined;
  /** Set where a test takes part in requests. */
  readonly interceptor?: Interceptor | undefined;
  /** Told about every request. */
  onRequest(request: ApiRequest): void;
  /** Told about every answer. */
  onAnswer(exchange: Exchange, response: ApiResponse): void;
  /** Told what came of work that went on after its request was answered with a timeout. */
  onLate?(outcome: LateOutcome): void;
  /** Told about answers that had begun and were not sent to their end. */
  onAborted?(exchange: Exchange): void;
  /** Told about errors that no stage expected. */
  onUnexpected(exchange: Exchange, error: unknown): void;
}

/** Top to bottom as they run. docs/architecture.md lists the same. */
export function stagesOf(config: PipelineConfig): readonly Stage[] {
  const { corsOrigins = [] } = config;
  return [
    requestInfo,
    deadline(config),
    ...(corsOrigins.length === 0 ? [] : [cors(corsOrigins)]),
    ...(config.console === undefined ? [] : [config.console]),
    auditedAuthentication(authenticate(config.authenticators, config.clock, config.authenticationObserver), config),
    ...auditStages(config),
    impersonate(config),
    limit(config),
    authorize(config),
    ...interceptStages(config),
    movingLarge(serve(config), config.lane),
  ];
}

/** Of a request that another thread has received, and moved when it was about to be served. */
function laneStages(config: PipelineConfig): readonly Stage[] {
  return [requestInfo, resume, ...resumedAudit(config), serve(config)];
}

export function createPipeline(config: PipelineConfig): Handler {
  return pipelineOf(config, stagesOf(config), (request) => {
    config.onRequest(request);
    const exchange = new Exchange(request, auditId(request), config.clock.now());
    exchange.notes = config.tracer?.begin(exchange);
    return exchange;
  });
}

/** Serves requests that another thread has moved: that thread counts and measures them. */
export function createLanePipeline(config: PipelineConfig): Handler {
  return pipelineOf({ ...config, onAnswer() {} }, laneStages(config), (request) => {
    const { id, startedAt, notes } = request.moved as MovedRequest;
    const exchange = new Exchange(request, id, startedAt);
    if (notes !== undefined) exchange.notes = config.tracer?.resume(notes);
    return exchange;
  });
}

function pipelineOf(
  config: PipelineConfig,
  stages: readonly Stage[],
  begin: (request: ApiRequest) => Exchange,
): Handler {
  return (request) => {
    const exchange = begin(request);
    try {
      const isTimed = exchange.notes !== undefined || config.timing?.isOn;
      const answer = isTimed ? runTimed(stages, exchange, 0, config) : run(stages, exchange, 0);
      return isPromise(answer) ? withTimeout(config, exchange, answer) : finish(config, exchange, answer);
    } catch (error) {
      return fail(config, exchange, error);
    }
  };
}

function run(stages: readonly Stage[], exchange: Exchange, from: number): MaybePromise<ApiResponse> {
  for (let i = from; i < stages.length; i++) {
    const result = (stages[i] as Stage)(exchange);
    if (isPromise(result)) return result.then((answer) => answer ?? goOn(stages, exchange, i + 1));
    if (result !== undefined) return result;
  }
  throw unknownResource();
}

/** As `run`, with the time of each stage. */
function runTimed(
  stages: readonly Stage[],
  exchange: Exchange,
  from: number,
  config: PipelineConfig,
): MaybePromise<ApiResponse> {
  for (let i = from; i < stages.length; i++) {
    const stage = stages[i] as Stage;
    const end = beginStage(config, exchange, stage.name);
    let result: ReturnType<Stage>;
    try {
      result = stage(exchange);
    } catch (error) {
      end();
      throw error;
    }
    if (isPromise(result)) {
      return result.finally(end).then((answer) => {
        if (answer !== undefined) return answer;
        exchange.throwIfEnded();
        return runTimed(stages, exchange, i + 1, config);
      });
    }
    end();
    if (result !== undefined) return result;
  }
  throw unknownResource();
}

/** Returns the function that ends it. */
function beginStage({ timing, clock }: PipelineConfig, exchange: Exchange, stage: string): () => void {
  const name = exchange.notes && stageSpanName(stage, exchange.info);
  const attributes = stage === 'serve' && exchange.info.isResource ? verbAttributes(exchange) : {};
  const span = name === undefined ? undefined : exchange.notes?.enter(name, attributes);
  if (!timing?.isOn) return () => span?.end();
  const began = clock.now();
  return () => {
    span?.end();
    timing.onStage(exchange, stage, clock.now() - began);
  };
}

/** After a stage that waited: meanwhile the time may be up, or the client gone. */
function goOn(stages: readonly Stage[], exchange: Exchange, from: number): MaybePromise<ApiResponse> {
  exchange.throwIfEnded();
  return run(stages, exchange, from);
}

/** Covers the time until the answer begins; streams have limits of their own. */
function withTimeout(config: PipelineConfig, exchange: Exchange, answer: Promise<ApiResponse>): Promise<ApiResponse> {
  return new Promise((resolve) => {
    const pending = new PendingAnswer(config, exchange, resolve);
    answer.then(
      (response) => pending.succeed(response),
      (error: unknown) => pending.fail(error),
    );
  });
}

/** A request is answered once: by its handler, or because its time is up. One object, since every write has one. */
class PendingAnswer implements DeadlineTarget, GoneListener {
  readonly #config: PipelineConfig;
  readonly #exchange: Exchange;
  readonly #resolve: (response: MaybePromise<ApiResponse>) => void;
  readonly #timer: Deadline;
  #isOver = false;

  constructor(config: PipelineConfig, exchange: Exchange, resolve: (response: MaybePromise<ApiResponse>) => void) {
    this.#config = config;
    this.#exchange = exchange;
    this.#resolve = resolve;
    this.#timer = config.services.deadlines.at(exchange.deadline, this);
    exchange.request.onGone?.(this);
  }

  succeed(response: ApiResponse): void {
    if (this.#over()) {
      this.#resolve(finish(this.#config, this.#exchange, response));
      return;
    }
    // too late: what the answer holds open is given back
    this.#config.onLate?.('ok');
    response.onUnsent?.();
  }

  fail(error: unknown): void {
    if (this.#over()) this.#resolve(fail(this.#config, this.#exchange, error));
    else this.#config.onLate?.(error instanceof ApiError ? 'error' : 'panic');
  }

  onDeadline(): void {
    const late = requestTimeout(this.#exchange.isCommitted);
    this.#exchange.end(late);
    this.fail(late);
  }

  /** The client left: its work ends where it can still be dropped. */
  onGone(): void {
    if (!this.#isOver) this.#exchange.end(clientGone());
  }

  /** Whether it was not over before. */
  #over(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#config.services.deadlines.cancel(this.#timer);
    return true;
  }
}

function fail(config: PipelineConfig, exchange: Exchange, error: unknown): MaybePromise<ApiResponse> {
  return finish(config, exchange, errorAnswer(config, exchange, error));
}

function errorAnswer(config: PipelineConfig, exchange: Exchange, error: unknown): ApiResponse {
  const isExpected = error instanceof ApiError;
  const shown = isExpected ? error : unexpectedError(error);
  const form = errorForm(exchange.request.header('accept'), config.dialect, {
    pretty: wantsPretty(exchange, config.dialect),
    onlyText: shown.onlyText,
  });
  exchange.audit?.failed(shown.toStatus(), !isExpected);
  if (!isExpected) config.onUnexpected(exchange, error);
  return writeError(shown, form);
}

function finish(config: PipelineConfig, exchange: Exchange, response: ApiResponse): MaybePromise<ApiResponse> {
  // what is left is to send it, which takes as long as the client likes
  exchange.release?.();
  exchange.room?.close();
  const { status, headers, body, upgrade, tunnel, onUnsent } = response;
  // a change of the protocol is what the other server says, and nothing else
  const all = tunnel === undefined ? allHeaders(config, exchange, response) : headers;
  const answer: { -readonly [K in keyof ApiResponse]: ApiResponse[K] } = { status, headers: all };
  if (body !== undefined) answer.body = typeof body === 'function' ? toItsEnd(config, exchange, body) : body;
  if (upgrade !== undefined) answer.upgrade = upgrade;
  if (tunnel !== undefined) answer.tunnel = tunnel;
  if (onUnsent !== undefined) answer.onUnsent = onUnsent;
  try {
    if (exchange.notes !== undefined) noteAnswer(config, exchange, answer);
    config.onAnswer(exchange, answer);
    const sent = config.interceptor === undefined ? answer : config.interceptor.after(exchange, answer);
    return exchange.audit === undefined ? sent : audited(config, exchange, exchange.audit.finished(sent), sent);
  } catch (error) {
    // an observer's error must not break the answer
    config.onUnexpected(exchange, error);
  }
  return answer;
}

function noteAnswer({ tracer }: PipelineConfig, exchange: Exchange, answer: ApiResponse): void {
  if (exchange.request.moved === undefined) tracer?.answered(exchange, answer);
  else tracer?.answeredInLane(exchange);
}

/** The body, with a report if it breaks off: by itself, or because the client left. */
function toItsEnd(config: PipelineConfig, exchange: Exchange, body: BodyStream): BodyStream {
  return (sink) => {
    const written = exchange.notes === undefined ? body(sink) : noteBody(config, exchange, body(sink));
    return written?.then(
      () => {
        if (sink.isGone) config.onAborted?.(exchange);
      },
      (error: unknown) => {
        config.onAborted?.(exchange);
        throw error;
      },
    );
  };
}

/** A list ends when it was written; a watch, as far as the trace is concerned, when it begins. */
function noteBody({ tracer }: PipelineConfig, exchange: Exchange, written: ReturnType<BodyStream>) {
  const span = exchange.notes?.begin('SerializeObject');
  const end = () => {
    span?.end();
    tracer?.sent(exchange);
  };
  if (written === undefined) end();
  return written?.finally(end);
}

function allHeaders(
  config: PipelineConfig,
  exchange: Exchange,
  { headers, isFinished }: ApiResponse,
): ApiResponse['headers'] {
  // the other thread does not have what this one adds
  if (isFinished) return exchange.addedHeaders === undefined ? headers : { ...headers, ...exchange.addedHeaders };
  const all: Record<string, string | readonly string[]> = {
    'audit-id': exchange.id,
    'cache-control': 'no-cache, private',
  };
  for (const name in headers) all[name] = headers[name] as string;
  addHeaders(all, config.headers);
  addHeaders(all, exchange.addedHeaders);
  const { warnings } = exchange;
  const shown = warnings.filter((text) => !/\p{Cc}/u.test(text));
  if (shown.length > 0) all['warning'] = shown.map(warningHeader);
  return all;
}

function addHeaders(all: Record<string, string | readonly string[]>, added: PipelineConfig['headers']): void {
  if (added !== undefined) for (const name in added) all[name] = added[name] as string;
}

/** The answer that audit gives back; the plain one should audit fail. */
function audited(
  config: PipelineConfig,
  exchange: Exchange,
  recorded: MaybePromise<ApiResponse>,
  answer: ApiResponse,
): MaybePromise<ApiResponse> {
  if (!isPromise(recorded)) return recorded;
  return recorded.catch((error: unknown) => {
    config.onUnexpected(exchange, error);
    return answer;
  });
}

/** Warn-code 299, no agent; a header has a character for each byte of UTF-8. No text has control characters. */
function warningHeader(text: string): string {
  return `299 - "${Buffer.from(text.replace(/[\\"]/g, '\\$&')).toString('latin1')}"`;
}

/** A caller may choose the id, so that proxies can follow a request; it has to be harmless. */
function auditId(request: ApiRequest): string {
  const given = request.header('audit-id');
  return given !== undefined && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
}
