// Calls to webhooks: an object is posted to another server over TLS, which answers with an object. Connections are kept, so
// that a further call costs one round trip.

import { createSecureContext } from 'node:tls';
import { type JsonObject, stringifyJson } from '../base/json/json.ts';
import type { Clock } from '../base/time/clock.ts';
import { type CredentialSource, type Credentials, sendWithRenewal } from '../client/credentials.ts';
import { AnswerTooLarge, Call } from '../client/http/call.ts';
import type { ExpectedKind } from '../codec/decode-object.ts';
import type { OwnServers } from '../meta/backend.ts';
import { maxHeaderSize } from '../wording/connection-failure.ts';
import { type Answer as AnsweredBytes, answeredFailure, answeredObject, typeProblem } from './answered-object.ts';
import type { FlawObserver } from './certificate-flaws.ts';
import type { LocateService } from './service-destination.ts';
import type { HostCredentials, HostUser } from './webhook-credentials.ts';
import { CallEnded, failedAnswer, failedCall, unfinishedAnswer, WebhookCallError } from './webhook-failure.ts';
import { WebhookPool } from './webhook-pool.ts';
import { connectToWebhook } from './webhook-socket.ts';
import { placeOf, shownUrl, type WebhookPlace, type WebhookTarget } from './webhook-target.ts';

interface WebhookCallOptions {
  /** What the webhook has to answer with. */
  readonly answer: ExpectedKind;
  /** How long the call may take in all; sent to the webhook in seconds, rounded up. */
  readonly timeoutMs: number;
  /** Longer answers are an error; as many as of any call when not given. */
  readonly maxAnswerBytes?: number;
  /** Aborts when the answer is of no use any more. */
  readonly signal?: AbortSignal;
  /** Besides those that every call has. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** As what this server makes the call; without credentials when not given. */
  readonly credentialsFor?: HostCredentials | undefined;
}

/** Posts objects to webhooks; throws a WebhookCallError where there is no answer that can be used. */
export interface WebhookCaller {
  post(target: WebhookTarget, body: unknown, options: WebhookCallOptions): Promise<JsonObject>;
  /** Closes connections once the calls under way are over. */
  close(): void;
}

export interface WebhookCallerDeps {
  readonly clock: Clock;
  /** Where services are. */
  readonly locate: LocateService;
  readonly own: OwnServers;
  readonly userAgent: string;
  readonly onFlaw?: FlawObserver;
  /** Longer answers are an error; 16 MiB when not given. */
  readonly maxAnswerBytes?: number;
  /** Calls of one webhook beyond this many at a time wait; 100 when not given. */
  readonly maxConnections?: number;
}

/** Objects are at most 3 MiB; base64 of a patch may be longer. */
const usualAnswerBytes = 16 * 1024 * 1024;
const usualConnections = 100;
/** The number of repeats for a webhook that answers with Retry-After. */
const maxRepeats = 10;
/** Targets whose connections are kept; the least recently called one is dropped first. */
const maxPools = 256;

const noCredentials: Credentials = {};

export function openWebhookCaller(deps: WebhookCallerDeps): WebhookCaller {
  return new PooledCaller(deps);
}

class PooledCaller implements WebhookCaller {
  readonly #deps: WebhookCallerDeps;
  /** The order of the map is the order in which pools were used. */
  readonly #pools = new Map<string, WebhookPool>();
  readonly #addresses = new WeakMap<WebhookTarget, Address>();
  /** The key of the pool that was used last. */
  #lastUsed = '';
  #isClosed = false;

  constructor(deps: WebhookCallerDeps) {
    this.#deps = deps;
  }

  async post(target: WebhookTarget, body: unknown, options: WebhookCallOptions): Promise<JsonObject> {
    const { timeoutMs, signal } = options;
    const { place } = this.#addressOf(target);
    const query = `?timeout=${Math.max(1, Math.ceil(timeoutMs / 1000))}s`;
    const end = new AbortController();
    const timer = this.#deps.clock.after(timeoutMs, () => end.abort(new CallEnded('deadline')));
    const leave = () => end.abort(new CallEnded('canceled'));
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted) leave();
    try {
      const bytes = Buffer.from(stringifyJson(body));
      const { host, port } = place;
      const user = options.credentialsFor?.({ host, port, caBundle: target.caBundle ?? '' });
      const maxBytes = options.maxAnswerBytes ?? this.#deps.maxAnswerBytes ?? usualAnswerBytes;
      const request = {
        target,
        place,
        query,
        body: bytes,
        maxBytes,
        end: end.signal,
        headers: { ...options.headers, ...user?.headers },
      };
      return await understood(await this.#ask(request, user?.source), options.answer);
    } catch (error) {
      throw failedCall(shownUrl(place, query), error);
    } finally {
      timer.cancel();
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Worked out once for a target. */
  #addressOf(target: WebhookTarget): Address {
    let cachedAddress = this.#addresses.get(target);
    if (cachedAddress === undefined) {
      const place = placeOf(target);
      const { host, port, service } = place;
      cachedAddress = { place, key: JSON.stringify([host, port, service === undefined, target.caBundle ?? '']) };
      this.#addresses.set(target, cachedAddress);
    }
    return cachedAddress;
  }

  close(): void {
    this.#isClosed = true;
    for (const pool of this.#pools.values()) pool.retire();
    this.#pools.clear();
  }

  #ask(request: WebhookRequest, source: CredentialSource | undefined): Promise<Answer> {
    const send = (credentials: Credentials) => this.#sendUntilReady(request, credentials);
    return source === undefined ? send(noCredentials) : sendWithRenewal(source, send);
  }

  /** Repeats the call after the webhook's Retry-After, within the time of the call. */
  async #sendUntilReady(request: WebhookRequest, credentials: Credentials): Promise<Answer> {
    for (let repeats = 0; ; repeats++) {
      const answer = await this.#send(request, credentials);
      const { status, retryAfter } = answer;
      const isWorthIt = retryAfter !== undefined && (status === 429 || status >= 500);
      if (!isWorthIt || repeats === maxRepeats) return answer;
      await this.#pause(retryAfter * 1000, request.end);
    }
  }

  #pause(ms: number, end: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        timer.cancel();
        reject(end.reason as Error);
      };
      const timer = this.#deps.clock.after(Math.max(0, ms), () => {
        end.removeEventListener('abort', leave);
        resolve();
      });
      if (end.aborted) leave();
      else end.addEventListener('abort', leave, { once: true });
    });
  }

  #send(request: WebhookRequest, credentials: Credentials): Promise<Answer> {
    const { target, place, query, body, maxBytes, end } = request;
    const pool = this.#pool(target, credentials);
    return pool.use(end, async () => {
      const { host, port } = place;
      const headers = this.#headers(request, credentials);
      const path = place.path + query;
      const options = { host, port, path, method: 'POST', headers, maxHeaderSize, agent: pool.agent };
      // reviews and conversions change nothing: a call whose kept connection broke is repeated
      const call = new Call({ isSecure: true, options, body, mayRepeat: true });
      const cut = () => call.cut(end.reason as Error);
      end.addEventListener('abort', cut, { once: true });
      try {
        const incoming = await call.answer();
        const bytes = await call.bytes(incoming, maxBytes).catch(brokenOff);
        const { 'retry-after': later, 'content-type': type, location } = incoming.headers;
        return { status: incoming.statusCode ?? 0, retryAfter: secondsOf(later), type, location, bytes };
      } finally {
        end.removeEventListener('abort', cut);
      }
    });
  }

  #headers({ place, body, headers }: WebhookRequest, { authorization }: Credentials) {
    return {
      ...headers,
      accept: 'application/json, */*',
      'content-type': 'application/json',
      'content-length': body.length,
      'user-agent': this.#deps.userAgent,
      host: place.authority,
      ...(authorization === undefined ? {} : { authorization }),
    };
  }

  #pool(target: WebhookTarget, { keyPair }: Credentials): WebhookPool {
    if (this.#isClosed) throw new WebhookCallError('the server is stopping');
    const { place, key: ofTarget } = this.#addressOf(target);
    const key = keyPair === undefined ? ofTarget : JSON.stringify([ofTarget, keyPair.certificate]);
    const cachedPool = this.#pools.get(key);
    if (cachedPool !== undefined && key === this.#lastUsed) return cachedPool;
    const pool = cachedPool ?? this.#open(place, target.caBundle ?? '', keyPair);
    this.#pools.delete(key);
    this.#pools.set(key, pool);
    this.#lastUsed = key;
    this.#makeRoom();
    return pool;
  }

  #open(place: WebhookPlace, caBundle: string, keyPair: Credentials['keyPair']): WebhookPool {
    const { locate, own, onFlaw, maxConnections = usualConnections } = this.#deps;
    const context = createSecureContext({
      ...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString() }),
      // each certificate of the bundle is trusted, by itself
      allowPartialTrustChain: true,
      ...(keyPair === undefined ? {} : { cert: keyPair.certificate, key: keyPair.privateKey }),
    });
    return new WebhookPool(() => connectToWebhook(place, { locate, own, context, onFlaw }), maxConnections);
  }

  #makeRoom(): void {
    if (this.#pools.size <= maxPools) return;
    for (const [key, oldest] of this.#pools) {
      this.#pools.delete(key);
      oldest.retire();
      return;
    }
  }
}

interface Address {
  readonly place: WebhookPlace;
  /** The common properties of the connections of one pool, apart from credentials. */
  readonly key: string;
}

interface WebhookRequest {
  readonly target: WebhookTarget;
  readonly place: WebhookPlace;
  readonly query: string;
  readonly body: Buffer;
  readonly maxBytes: number;
  readonly end: AbortSignal;
  /** Besides those that every call has. */
  readonly headers: HostUser['headers'];
}

interface Answer extends AnsweredBytes {
  /** The webhook's Retry-After in seconds. */
  readonly retryAfter: number | undefined;
  readonly location: string | undefined;
}

/** An answer that began and has no end. */
function brokenOff(error: Error): never {
  throw error instanceof AnswerTooLarge ? error : unfinishedAnswer(error);
}

/** Only whole seconds count; dates do not. */
function secondsOf(text = ''): number | undefined {
  return /^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The longest part of an error in a message: it may repeat words of the webhook. */
const maxWords = 2048;

async function understood(answer: Answer, expected: ExpectedKind): Promise<JsonObject> {
  const { status, bytes, retryAfter, type, location } = answer;
  const unreadable = (why: string, cause?: unknown) =>
    new WebhookCallError(why.slice(0, maxWords), { forLog: 'the answer of the webhook cannot be read', cause });
  const problem = typeProblem(answer);
  if (problem !== undefined) throw unreadable(problem);
  if (status < 200 || status > 206)
    throw failedAnswer(
      { code: status, type, text: bytes.toString(), retryAfter, location },
      await answeredFailure(answer),
    );
  try {
    return await answeredObject(answer, expected);
  } catch (error) {
    throw unreadable((error as Error).message, error);
  }
}
