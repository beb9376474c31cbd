// Another server's answer on its way to the client: as fast as the client reads, for no longer than the request may take.

import { bareRecord } from '../base/maps/bare-record.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Deadline, Deadlines } from '../base/time/deadlines.ts';
import { isPassedBack, passedBack } from '../handlers/connect/passed-headers.ts';
import type { ApiResponse, BodyStream, Sink } from '../meta/exchange.ts';
import type { AnswerBody, BackendAnswer, BodyReader } from './backend-call.ts';
import { collected } from './collected-body.ts';
import type { Ending } from './ending.ts';

interface RelayOptions {
  readonly method: string;
  readonly isLongRunning: boolean;
  readonly deadlines: Deadlines;
  /** When the answer has to be complete, unless it is long-running. */
  readonly deadline: number;
  /** Longer answers are broken off. */
  readonly maxBytes: number;
  /** Ends the call when the answer is no longer needed, until it has begun. */
  readonly ending: Ending;
}

/** Answers up to this size are collected: that costs less than a stream. */
const smallBytes = 64 * 1024;
const withoutBody = new Set([204, 304]);

export function relayedAnswer(answer: BackendAnswer, options: RelayOptions): MaybePromise<ApiResponse> {
  const { status, body } = answer;
  if (options.method === 'HEAD' || withoutBody.has(status)) {
    body.read(ignoring);
    return { status, headers: headersBack(answer.headers) };
  }
  const declared = isPassedBack('content-length', answer.headers['connection'])
    ? answer.headers['content-length']
    : undefined;
  const length = declared === undefined ? undefined : Number(declared);
  const isSmall = length !== undefined && length <= smallBytes;
  if (!isSmall || options.isLongRunning) {
    const headers = headersBack(answer.headers);
    return { status, headers, body: streamOf(body, options), onUnsent: () => body.cancel() };
  }
  // the length is sent with the body
  const headers = headersBack(answer.headers, 'content-length');
  const whole = body.takeWhole();
  if (whole !== undefined && whole.length === length) return { status, headers, body: whole };
  const all = collected(body, { length, maxBytes: smallBytes, ending: options.ending });
  return all.then((bytes) => ({ status, headers, body: bytes }));
}

const ignoring: BodyReader = { onPiece: ignore, onEnd: ignore, onError: ignore };

function ignore(): void {}

function headersBack(headers: BackendAnswer['headers'], except?: string): Record<string, string | readonly string[]> {
  const { connection } = headers;
  const passed = bareRecord<string | readonly string[]>();
  for (const name in headers)
    if (name !== except && isPassedBack(name, connection)) passed[name] = passedBack(name, headers[name] as string);
  return passed;
}

/** Fails where the other server breaks off, so that the client does not take a part for the whole. */
function streamOf(source: AnswerBody, options: RelayOptions): BodyStream {
  return (sink) => new Promise((resolve, reject) => new Relay(source, sink, options, { resolve, reject }).start());
}

interface Outcome {
  resolve(): void;
  reject(error: Error): void;
}

class Relay implements BodyReader {
  readonly #source: AnswerBody;
  readonly #sink: Sink;
  readonly #options: RelayOptions;
  readonly #outcome: Outcome;
  #deadline: Deadline | undefined;
  #size = 0;
  #isOver = false;

  constructor(source: AnswerBody, sink: Sink, options: RelayOptions, outcome: Outcome) {
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
    this.#outcome = outcome;
  }

  start(): void {
    const { isLongRunning, deadlines, deadline } = this.#options;
    if (!isLongRunning) this.#deadline = deadlines.at(deadline, this);
    this.#sink.onStop(() => this.#stop());
    if (!this.#isOver) this.#source.read(this);
  }

  onDeadline(): void {
    this.#cut(new Error('the answer of another server took too long'));
  }

  onPiece(bytes: Uint8Array): void {
    const sink = this.#sink;
    this.#size += bytes.length;
    if (this.#size > this.#options.maxBytes) this.#cut(new Error('the answer of another server is too long'));
    else if (sink.isGone) this.#cut();
    else if (!sink.write(bytes)) {
      this.#source.pause();
      void sink.drained().then(() => this.#goOn());
    }
  }

  onEnd(): void {
    this.#over();
  }

  onError(error: Error): void {
    this.#over(error);
  }

  #goOn(): void {
    if (!this.#isOver) this.#source.resume();
  }

  /** A server that is about to stop ends watches, and lets other answers be sent to their end. */
  #stop(): void {
    if (this.#sink.isGone || this.#options.isLongRunning) this.#cut();
  }

  #cut(error?: Error): void {
    this.#source.cancel();
    this.#over(error);
  }

  #over(error?: Error): void {
    this.#isOver = true;
    if (this.#deadline !== undefined) this.#options.deadlines.cancel(this.#deadline);
    if (error === undefined) this.#outcome.resolve();
    else this.#outcome.reject(error);
  }
}
