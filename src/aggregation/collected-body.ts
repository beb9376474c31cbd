// A body of another server, in memory.

import { type AnswerBody, type BodyReader, brokenOff } from './backend-call.ts';
import type { Ending } from './ending.ts';

interface CollectOptions {
  /** If the other server sent the length. */
  readonly length?: number;
  /** Longer ones are refused. */
  readonly maxBytes: number;
  readonly ending: Ending;
}

/** Fails where the other server breaks off, sends too much, or is too late. */
export function collected(body: AnswerBody, options: CollectOptions): Promise<Uint8Array> {
  return new Promise((resolve, reject) => new Collector(body, options, { resolve, reject }).start());
}

interface Outcome {
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

class Collector implements BodyReader {
  readonly #body: AnswerBody;
  readonly #options: CollectOptions;
  readonly #outcome: Outcome;
  readonly #pieces: Uint8Array[] = [];
  #size = 0;

  constructor(body: AnswerBody, options: CollectOptions, outcome: Outcome) {
    this.#body = body;
    this.#options = options;
    this.#outcome = outcome;
  }

  start(): void {
    this.#options.ending.onEnd(this);
    this.#body.read(this);
  }

  onPiece(bytes: Uint8Array): void {
    const { maxBytes } = this.#options;
    this.#pieces.push(bytes);
    this.#size += bytes.length;
    if (this.#size > maxBytes) this.onEnded(new Error(`the document is longer than ${maxBytes} bytes`));
  }

  onEnd(): void {
    const { ending, length = this.#size } = this.#options;
    ending.offEnd(this);
    if (this.#size === length) this.#outcome.resolve(Buffer.concat(this.#pieces));
    else this.#outcome.reject(brokenOff());
  }

  onError(error: Error): void {
    this.#options.ending.offEnd(this);
    this.#outcome.reject(error);
  }

  onEnded(why: Error): void {
    this.#body.cancel();
    this.onError(why);
  }
}
