// Something a client sent that is parsed once, whether it can be parsed or not.

export class ParsedOnce<T> {
  readonly #parse: () => T;
  #outcome: (() => T) | undefined;

  constructor(parse: () => T) {
    this.#parse = parse;
  }

  /** Throws what parsing it threw. */
  get value(): T {
    this.#outcome ??= outcomeOf(this.#parse);
    return this.#outcome();
  }
}

function outcomeOf<T>(parse: () => T): () => T {
  try {
    const value = parse();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
