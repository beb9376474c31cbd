// For tests: the end of a request, which the test triggers.

import type { EndListener } from '../meta/exchange.ts';

export class TestEnding {
  hasEnded = false;
  #listener: EndListener | undefined;

  onEnd(listener: EndListener): void {
    this.#listener = listener;
  }

  offEnd(listener: EndListener): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  end(): void {
    this.hasEnded = true;
    this.#listener?.onEnded(new Error('given up'));
  }
}
