// Something a client sent that is parsed once, whether it can be parsed or not.

import { atOnce, inTurns, type Steps } from './steps.ts';

export class ParsedOnce<T> {
  readonly #steps: Steps<T>;
  #outcome: (() => T) | undefined;

  constructor(steps: Steps<T>) {
    this.#steps = steps;
  }

  /** Parsed at once, unless it was before. Throws what parsing it threw. */
  get value(): T {
    this.#outcome ??= outcomeOf(() => atOnce(this.#steps));
    return this.#outcome();
  }

  /** Parses it in turns with other work. Never fails: who asks for the value learns of that. */
  async parse(): Promise<void> {
    if (this.#outcome !== undefined) return;
    try {
      const value = await inTurns(this.#steps);
      this.#outcome = () => value;
    } catch (error) {
      this.#outcome = failing(error);
    }
  }
}

function outcomeOf<T>(parse: () => T): () => T {
  try {
    const value = parse();
    return () => value;
  } catch (error) {
    return failing(error);
  }
}

const failing = (error: unknown) => () => {
  throw error;
};
