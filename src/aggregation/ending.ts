// When an answer is of no use any more: its client left, its time is up, or this server stops.

import type { EndListener } from '../meta/exchange.ts';

/** An `Exchange` is one. It has at most one listener, which is notified at once if the end has come already. */
export interface Ending {
  readonly hasEnded: boolean;
  onEnd(listener: EndListener): void;
  offEnd(listener: EndListener): void;
}

export class SignalEnding implements Ending {
  readonly #signal: AbortSignal;
  #listener: EndListener | undefined;
  readonly #tell = () => this.#listener?.onEnded(this.#signal.reason as Error);

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  get hasEnded(): boolean {
    return this.#signal.aborted;
  }

  onEnd(listener: EndListener): void {
    this.#listener = listener;
    if (this.#signal.aborted) this.#tell();
    else this.#signal.addEventListener('abort', this.#tell, { once: true });
  }

  offEnd(listener: EndListener): void {
    if (this.#listener !== listener) return;
    this.#listener = undefined;
    this.#signal.removeEventListener('abort', this.#tell);
  }
}

/** Calls `cut` at the end, until the returned function is called. */
export function onEnding(ending: Ending, cut: (why: Error) => void): () => void {
  const listener = { onEnded: cut };
  ending.onEnd(listener);
  return () => ending.offEnd(listener);
}
