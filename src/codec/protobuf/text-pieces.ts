// The parts of messages, each written where the text has it, put in the order of their numbers: clients see the bytes that
// kube-apiserver sends. Messages inside others have their parts on top of those of the outer one, in memory that is used again.

/** Fewer bytes are copied one by one. */
const shortPiece = 48;

/** Memory for the copy of a message, and how much of it is kept. */
const copyBytes = 16 * 1024;
const maxCopyBytes = 256 * 1024;

export class Pieces {
  /** Of each piece its place in the message and where it begins. */
  #places = new Int32Array(64);
  #starts = new Int32Array(64);
  #count = 0;
  #copy = Buffer.allocUnsafeSlow(copyBytes);

  /** Forgets the messages that were begun: one may have failed. */
  clear(): void {
    this.#count = 0;
    if (this.#copy.length > maxCopyBytes) this.#copy = Buffer.allocUnsafeSlow(copyBytes);
  }

  /** Begins a message. Returns what `sort` needs to know of it. */
  begin(): number {
    return this.#count;
  }

  /** A piece that begins at `start`. */
  add(place: number, start: number): void {
    if (this.#count === this.#places.length) this.#grow();
    this.#places[this.#count] = place;
    this.#starts[this.#count++] = start;
  }

  /** Ends a message whose last piece ends at `end`. One longer than its memory is written once more: then it is sorted. */
  sort(first: number, out: Buffer, end: number): void {
    const misplaced = this.#firstMisplaced(first);
    if (misplaced < this.#count && end <= out.length) this.#move(misplaced, out, end);
    this.#count = first;
  }

  /** The first piece that has to move: all before it come before all that follow. */
  #firstMisplaced(first: number): number {
    const places = this.#places;
    let at = first + 1;
    while (at < this.#count && (places[at - 1] as number) < (places[at] as number)) at++;
    if (at >= this.#count) return this.#count;
    let lowest = places[at] as number;
    for (let i = at + 1; i < this.#count; i++) lowest = Math.min(lowest, places[i] as number);
    while (at > first && (places[at - 1] as number) > lowest) at--;
    return at;
  }

  #move(from: number, out: Buffer, end: number): void {
    const base = this.#starts[from] as number;
    if (end - base > this.#copy.length) this.#copy = Buffer.allocUnsafeSlow(2 * (end - base));
    const copy = this.#copy;
    out.copy(copy, 0, base, end);
    let to = base;
    // the next higher place each time: there are few pieces
    for (let place = -1, left = this.#count - from; left > 0; left--) {
      const piece = this.#next(from, place);
      place = this.#places[piece] as number;
      const start = (this.#starts[piece] as number) - base;
      const stop = (piece + 1 < this.#count ? (this.#starts[piece + 1] as number) : end) - base;
      if (stop - start < shortPiece) for (let i = start; i < stop; i++) out[to++] = copy[i] as number;
      else to += copy.copy(out, to, start, stop);
    }
  }

  /** The piece with the lowest place above `place`. */
  #next(from: number, place: number): number {
    const places = this.#places;
    let best = -1;
    for (let i = from; i < this.#count; i++) {
      const one = places[i] as number;
      if (one > place && (best < 0 || one < (places[best] as number))) best = i;
    }
    return best;
  }

  #grow(): void {
    const places = new Int32Array(2 * this.#places.length);
    places.set(this.#places);
    this.#places = places;
    const starts = new Int32Array(places.length);
    starts.set(this.#starts);
    this.#starts = starts;
  }
}
