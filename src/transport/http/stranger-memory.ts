// Memory that clients take before they have shown valid credentials: one account for all of their connections. Beyond the limit, the
// connection that holds most is ended: an honest client holds little, and for a moment.

/** A connection whose client has shown no credentials so far. */
export interface Stranger {
  /** Ends the connection. */
  giveUp(): void;
}

export class StrangerMemory {
  readonly #maxBytes: number;
  readonly #bytesOf = new Map<Stranger, number>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A connection holds so many bytes by now. */
  set(stranger: Stranger, bytes: number): void {
    this.#bytes += bytes - (this.#bytesOf.get(stranger) ?? 0);
    this.#bytesOf.set(stranger, bytes);
    while (this.#bytes > this.#maxBytes) this.#giveUpLargest();
  }

  /** The connection is over, or its client has shown credentials. */
  forget(stranger: Stranger): void {
    this.#bytes -= this.#bytesOf.get(stranger) ?? 0;
    this.#bytesOf.delete(stranger);
  }

  #giveUpLargest(): void {
    let largest: Stranger | undefined;
    let most = 0;
    for (const [stranger, bytes] of this.#bytesOf) {
      if (bytes <= most) continue;
      largest = stranger;
      most = bytes;
    }
    if (largest === undefined) return;
    this.forget(largest);
    largest.giveUp();
  }
}
