// Which streams were over a moment ago, and through which end: a client may not have heard yet of what the server gave up.

/** A client can have sent so many before it heard of the first. */
const remembered = 256;

export class ClosedStreams {
  /** The number of a stream; negative where the server gave it up. */
  readonly #ids = new Int32Array(remembered);
  #next = 0;

  add(id: number, isByServer: boolean): void {
    this.#ids[this.#next] = isByServer ? -id : id;
    this.#next = (this.#next + 1) % remembered;
  }

  /** The server gave it up: what the client still sends is not its fault. */
  wasGivenUp(id: number): boolean {
    return this.#ids.includes(-id);
  }

  /** It was open, and came to its end through the client too. */
  wasDone(id: number): boolean {
    return this.#ids.includes(id);
  }
}
