// One request on its way through the server, as audit sees it: collects facts and reports them at each stage.

import { setOwn } from '../base/json/json.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { ApiResponse, AuditedMeta, AuditTrail, BodyStream, Exchange } from '../meta/exchange.ts';
import type { Status } from '../meta/status.ts';
import { formatMicroTime } from '../meta/time.ts';
import { bodyOfText, bodyOfValue } from './bodies.ts';
import { type AuditEvent, type AuditObjectReference, type AuditStatus, shortened } from './event.ts';
import { atLeast, type Level, type Stage } from './policy.ts';
import type { AuditDecision } from './policy-decision.ts';
import { sourceIps } from './source-ips.ts';
import { copied, once, untilClosed, untilOver } from './tee-body.ts';

/** Longer answers are not kept for the record: a client that lists everything must not fill the memory. */
const maxCopiedBytes = 3 * 1024 * 1024;

interface TrailContext {
  readonly keys: AnnotationKeys;
  now(): number;
  /** False when the event did not get where it should. */
  record(event: AuditEvent): MaybePromise<boolean>;
}

/** Names of the annotations that audit makes itself. */
export interface AnnotationKeys {
  /** A body was left out. */
  readonly truncated: string;
  readonly deprecated: string;
  readonly removedRelease: string;
}

interface TrailOptions {
  readonly decision: AuditDecision;
  /** The level of the decision, or less. */
  readonly level: Level;
  /** Whether the beginning of the answer is a separate stage. */
  readonly isLongRunning: boolean;
}

export class RequestTrail implements AuditTrail {
  readonly #exchange: Exchange;
  readonly #context: TrailContext;
  readonly #options: TrailOptions;
  /** Set where the caller could not be recognised: how they tried. */
  #attempted: string | undefined;
  #annotations: Record<string, string> | undefined;
  #about: AuditedMeta | undefined;
  #status: AuditStatus | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #isPanic = false;

  constructor(exchange: Exchange, context: TrailContext, options: TrailOptions) {
    this.#exchange = exchange;
    this.#context = context;
    this.#options = options;
  }

  /** False when the request has to be refused, since it could not be recorded. */
  received(): MaybePromise<boolean> {
    return this.#recordStage('RequestReceived');
  }

  /** The credentials of the caller name no user; one event records it. */
  unrecognised(attempted: string): void {
    this.#attempted = attempted;
  }

  get annotations(): Readonly<Record<string, string>> | undefined {
    return this.#annotations;
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    if (level !== undefined && !this.#records(level)) return;
    this.#annotations ??= {};
    if (!Object.hasOwn(this.#annotations, key)) setOwn(this.#annotations, key, value);
  }

  captureRequest(body: unknown, about?: AuditedMeta): void {
    this.#about ??= about;
    if (this.#records('Request')) this.#requestObject = bodyOfValue(body, this.#options.decision.omitManagedFields);
  }

  captureResponse(response: ApiResponse): ApiResponse {
    const { body } = response;
    if (isStatus(response.value)) this.#status = boundedStatus(response.value);
    if (!this.#records('RequestResponse')) return response;
    const { omitManagedFields } = this.#options.decision;
    const value = response.value ?? response.makeValue?.();
    if (value !== undefined) this.#responseObject = bodyOfValue(value, omitManagedFields);
    else if (typeof body === 'function') return { ...withoutGzip(response), body: this.#copy(body, response) };
    else if (body !== undefined && isJson(response))
      this.#responseObject = bodyOfText(Buffer.from(body).toString(), omitManagedFields);
    return response;
  }

  failed(status: Status, unexpected: boolean): void {
    this.#isPanic = unexpected;
    this.#status = boundedStatus(status);
    if (this.#records('RequestResponse')) this.#responseObject = bodyOfValue(status, false);
  }

  finished(response: ApiResponse): MaybePromise<ApiResponse> {
    this.#noteDeprecation();
    this.#status = { ...this.#status, code: response.status };
    if (this.#attempted !== undefined) {
      this.#status = { ...this.#status, message: this.#attempted };
      return andThen(this.#recordStage('ResponseStarted'), () => response);
    }
    if (this.#isPanic) return andThen(this.#recordStage('Panic'), () => response);
    const { body, tunnel, onUnsent } = response;
    const isStream = typeof body === 'function' || tunnel !== undefined;
    const started = this.#options.isLongRunning ? this.#recordStage('ResponseStarted') : true;
    if (!isStream)
      return andThen(
        andThen(started, () => this.#recordStage('ResponseComplete')),
        () => response,
      );
    // no client waits for this one: the answer is over
    const over = once(() => void this.#recordStage('ResponseComplete'));
    return andThen(started, () => ({
      ...response,
      onUnsent: () => {
        onUnsent?.();
        over();
      },
      ...(typeof body === 'function' ? { body: untilOver(body, over) } : {}),
      ...(tunnel === undefined ? {} : { tunnel: untilClosed(tunnel, over) }),
    }));
  }

  /** Copies the text of a list, if it is JSON and not too long. */
  #copy(body: BodyStream, response: ApiResponse): BodyStream {
    if (this.#options.isLongRunning) return body;
    const limit = isJson(response) ? maxCopiedBytes : 0;
    return copied(body, limit, (text) => {
      if (text === undefined) this.annotate(this.#context.keys.truncated, 'true');
      else this.#responseObject = bodyOfText(text, this.#options.decision.omitManagedFields);
    });
  }

  #records(level: Level): boolean {
    return atLeast(this.#options.level, level);
  }

  #noteDeprecation(): void {
    const { removedRelease } = this.#exchange;
    if (removedRelease === undefined) return;
    this.annotate(this.#context.keys.deprecated, 'true');
    if (removedRelease !== '') this.annotate(this.#context.keys.removedRelease, removedRelease);
  }

  #recordStage(stage: Stage): MaybePromise<boolean> {
    return this.#options.decision.omitStages.has(stage) || this.#context.record(this.#event(stage));
  }

  #event(stage: Stage): AuditEvent {
    const { id, info, request, user, impersonator, impersonationConstraint, startedAt } = this.#exchange;
    const isReceived = stage === 'RequestReceived';
    return {
      level: this.#options.level,
      auditID: id,
      stage,
      requestURI: shownUri(request.path, request.rawQuery),
      verb: info.verb,
      user: this.#attempted === undefined ? (impersonator ?? user) : undefined,
      impersonatedUser: impersonator === undefined ? undefined : user,
      impersonationConstraint,
      sourceIPs: sourceIps(request),
      userAgent: shortened(request.header('user-agent')),
      objectRef: info.isResource ? objectRef(this.#exchange, this.#about) : undefined,
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      requestReceivedTimestamp: formatMicroTime(startedAt),
      stageTimestamp: formatMicroTime(isReceived ? startedAt : this.#context.now()),
      annotations: sortedCopy(this.#annotations),
    };
  }
}

function isStatus(value: object | undefined): value is Status {
  return value !== undefined && (value as Partial<Status>).kind === 'Status';
}

function boundedStatus({ status, message, reason, details, code }: Status): AuditStatus {
  return {
    status,
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    ...(code === undefined ? {} : { code }),
  };
}

/** The copy is made of what is sent before it is compressed. */
const withoutGzip = ({ gzipBody: _, ...response }: ApiResponse): ApiResponse => response;

const isJson = ({ headers }: ApiResponse) => String(headers['content-type'] ?? '').startsWith('application/json');

function objectRef({ info }: Exchange, about: AuditedMeta = {}): AuditObjectReference {
  const parts: Readonly<Record<string, string | undefined>> = {
    resource: info.resource,
    namespace: info.namespace || about.namespace,
    name: info.name || about.name,
    uid: about.uid,
    apiGroup: info.group,
    apiVersion: info.version,
    resourceVersion: about.resourceVersion,
    subresource: info.subresource,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part));
}

/** A token has no place in a URL, and even less in a record, however its name is spelled. */
function shownUri(path: string, query: string): string {
  if (query === '') return path;
  return `${path}?${mayHaveToken.test(query) ? query.split('&').map(withoutToken).join('&') : query}`;
}

const mayHaveToken = /access_token|%/;

function withoutToken(parameter: string): string {
  const [name = '', value] = parameter.split('=', 2);
  return value !== undefined && new URLSearchParams(`${name}=`).has('access_token') ? `${name}=***` : parameter;
}

function sortedCopy(map: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
  return map && Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
