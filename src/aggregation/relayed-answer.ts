// Another server's answer on its way to the client: at the client's pace, for no longer than the request may take.

import type { Readable } from 'node:stream';
import type { Deadline, Deadlines } from '../base/deadlines.ts';
import { answerHeaders } from '../handlers/connect/passed-headers.ts';
import type { ApiResponse, BodyStream, Sink } from '../meta/exchange.ts';
import { type BackendAnswer, giveUp, onAbort } from './backend-call.ts';

interface RelayOptions {
  readonly method: string;
  readonly isLongRunning: boolean;
  readonly deadlines: Deadlines;
  /** Milliseconds until the answer has to be complete, unless it is long-running. */
  readonly withinMs: number;
  /** Longer answers are broken off. */
  readonly maxBytes: number;
  /** Aborts when the answer is of no use any more, until it has begun. */
  readonly signal: AbortSignal;
}

/** Answers up to this size are collected: that costs less than a stream. */
const smallBytes = 64 * 1024;
const withoutBody = new Set([204, 304]);

export async function relayedAnswer(answer: BackendAnswer, options: RelayOptions): Promise<ApiResponse> {
  const { status, body } = answer;
  const { 'content-length': length, ...headers } = answerHeaders(answer.headers, '', false);
  body.on('error', ignore);
  if (options.method === 'HEAD' || withoutBody.has(status)) {
    body.resume();
    return { status, headers: length === undefined ? headers : { ...headers, 'content-length': length } };
  }
  if (length !== undefined && Number(length) <= smallBytes && !options.isLongRunning)
    return { status, headers, body: await collected(body, Number(length), options.signal) };
  const all = length === undefined ? headers : { ...headers, 'content-length': length };
  return { status, headers: all, body: streamOf(body, options), onUnsent: () => giveUp(body) };
}

function ignore(): void {}

function collected(body: Readable, length: number, signal: AbortSignal): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const leave = onAbort(signal, (why) => body.destroy(why));
    body.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
    });
    body.on('end', () => (size === length ? resolve(Buffer.concat(parts)) : reject(new Error('unexpected EOF'))));
    body.on('error', reject);
    body.on('close', () => {
      leave();
      reject(new Error('unexpected EOF'));
    });
  });
}

/** A stream of HTTP/2 ends in the same way when its connection is lost; only its code tells. */
function brokenOff(source: Readable & { readonly rstCode?: number | undefined }): Error | undefined {
  return (source.rstCode ?? 0) === 0 ? undefined : new Error('unexpected EOF');
}

/** Fails where the other server breaks off, so that the client does not take a part for the whole. */
function streamOf(source: Readable, options: RelayOptions): BodyStream {
  return (sink) => new Promise((resolve, reject) => new Relay(source, sink, options, { resolve, reject }).start());
}

interface Outcome {
  resolve(): void;
  reject(error: Error): void;
}

class Relay {
  readonly #source: Readable;
  readonly #sink: Sink;
  readonly #options: RelayOptions;
  readonly #outcome: Outcome;
  #deadline: Deadline | undefined;
  #size = 0;

  constructor(source: Readable, sink: Sink, options: RelayOptions, outcome: Outcome) {
    this.#source = source;
    this.#sink = sink;
    this.#options = options;
    this.#outcome = outcome;
  }

  start(): void {
    const { isLongRunning, deadlines, withinMs } = this.#options;
    if (!isLongRunning) this.#deadline = deadlines.after(withinMs, this);
    const source = this.#source;
    source.on('data', (chunk: Uint8Array) => this.#pass(chunk));
    source.on('end', () => this.#over(brokenOff(source)));
    source.on('error', (error: Error) => this.#over(error));
    source.on('close', () => this.#over(source.readableEnded ? brokenOff(source) : new Error('unexpected EOF')));
    this.#sink.onStop(() => this.#stop());
    if (source.destroyed) this.#over(new Error('unexpected EOF'));
  }

  onDeadline(): void {
    this.#over(new Error('the answer of another server took too long'));
  }

  #pass(chunk: Uint8Array): void {
    const sink = this.#sink;
    this.#size += chunk.length;
    if (this.#size > this.#options.maxBytes) this.#over(new Error('the answer of another server is too long'));
    else if (sink.isGone) this.#over();
    else if (!sink.write(chunk)) {
      this.#source.pause();
      void sink.drained().then(() => this.#source.resume());
    }
  }

  /** A server that is about to stop ends watches, and lets other answers be sent to their end. */
  #stop(): void {
    if (this.#sink.isGone || this.#options.isLongRunning) this.#over();
  }

  #over(error?: Error): void {
    if (this.#deadline !== undefined) this.#options.deadlines.cancel(this.#deadline);
    if (!this.#source.readableEnded) giveUp(this.#source);
    if (error === undefined) this.#outcome.resolve();
    else this.#outcome.reject(error);
  }
}
