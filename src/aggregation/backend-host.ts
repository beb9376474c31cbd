// One address of another server: speaks HTTP/2 with it where it can, HTTP/1.1 otherwise.

import type { TLSSocket } from 'node:tls';
import { type BackendAnswer, type BackendRequest, isUnprocessed } from './backend-call.ts';
import { type Ending, onEnding } from './ending.ts';
import { askForUpgrade, Http1Connections, type UpgradeAnswer } from './http1-connections.ts';
import { Http2Sessions } from './http2-sessions.ts';

type Dial = (protocols: readonly string[]) => Promise<TLSSocket>;

/** Requests that change nothing may be sent again. */
const repeatable = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The number of refusals after which a request is no longer repeated. */
const maxRefusals = 5;
const maxAttempts = 20;
const maxSessions = 200;

export class BackendHost {
  readonly #dial: Dial;
  readonly #onAnswered: () => void;
  readonly #http2 = new Http2Sessions();
  readonly #http1: Http1Connections;
  /** Known after the first connection. */
  #isOld = false;
  #connecting: Promise<void> | undefined;
  #isRetired = false;

  constructor(dial: Dial, onAnswered: () => void) {
    this.#dial = dial;
    this.#onAnswered = onAnswered;
    this.#http1 = new Http1Connections(() => dial(['http/1.1']));
  }

  /** Makes no extra promise if a connection is open, as for nearly every request. */
  ask(request: BackendRequest, ending: Ending): Promise<BackendAnswer> {
    const isKept = this.#http2.size > 0;
    return this.#ask(request, ending).then(this.#answered, (error: unknown) =>
      this.#again({ request, ending, isKept }, error),
    );
  }

  readonly #answered = (answer: BackendAnswer): BackendAnswer => {
    this.#onAnswered();
    return answer;
  };

  async #again({ request, ending, isKept }: PendingRequest, first: unknown): Promise<BackendAnswer> {
    let error = first;
    for (let attempt = 1; ; attempt++) {
      const wasKept = isKept || (error as { readonly isReused?: boolean }).isReused === true;
      if (ending.hasEnded || !mayRepeat(request, { error, isKept: wasKept, attempt })) throw error;
      try {
        return this.#answered(await this.#ask(request, ending));
      } catch (next) {
        error = next;
      }
    }
  }

  async upgrade(request: BackendRequest, ending: Ending): Promise<UpgradeAnswer> {
    return askForUpgrade(await this.#dial(['http/1.1']), request, ending);
  }

  /** Requests under way may finish, also those that wait for a connection. */
  retire(): void {
    this.#isRetired = true;
    this.#http2.retire();
    this.#http1.retire();
  }

  #ask(request: BackendRequest, ending: Ending): Promise<BackendAnswer> {
    if (this.#isOld) return this.#http1.ask(request, ending);
    return this.#http2.ask(request, ending) ?? this.#askOverFurther(request, ending);
  }

  async #askOverFurther(request: BackendRequest, ending: Ending): Promise<BackendAnswer> {
    for (let attempt = 0; attempt < maxAttempts && this.#http2.size < maxSessions; attempt++) {
      await unlessEnded(this.#connect(), ending);
      if (this.#isOld) return this.#http1.ask(request, ending);
      const answer = this.#http2.ask(request, ending);
      if (answer !== undefined) return answer;
    }
    // a server that allows few streams, or none, is not given connections without end
    throw new Error('http2: no streams available');
  }

  /** One connection at a time is opened, however many requests wait for it. */
  #connect(): Promise<void> {
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<void> {
    const socket = await this.#dial(['h2', 'http/1.1']);
    if (socket.alpnProtocol === 'h2') {
      this.#http2.add(socket);
    } else {
      this.#isOld = true;
      this.#http1.add(socket);
    }
    // the requests that waited for this connection go first
    if (this.#isRetired) setImmediate(() => this.retire());
  }
}

interface PendingRequest {
  readonly request: BackendRequest;
  readonly ending: Ending;
  readonly isKept: boolean;
}

interface Failed {
  readonly error: unknown;
  /** The connection was kept from earlier requests: the other server may have closed it meanwhile. */
  readonly isKept: boolean;
  readonly attempt: number;
}

function mayRepeat({ method, body }: BackendRequest, { error, isKept, attempt }: Failed): boolean {
  const isWhole = body === undefined || body instanceof Uint8Array;
  if (isUnprocessed(error)) return isWhole && attempt < maxRefusals;
  return isKept && attempt === 1 && body === undefined && repeatable.has(method);
}

/** The connection is still being made for other requests. */
function unlessEnded(work: Promise<void>, ending: Ending): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = onEnding(ending, reject);
    work.then(resolve, reject).finally(leave);
  });
}
