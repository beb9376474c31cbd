// The parts of one message, each written where the text has it, put in the order of their numbers: clients see the bytes that
// kube-apiserver sends.

interface Piece {
  readonly place: number;
  readonly start: number;
  readonly end: number;
}

export class Pieces {
  readonly #start: number;
  readonly #pieces: Piece[] = [];
  #end: number;
  #isSorted = true;

  constructor(start: number) {
    this.#start = start;
    this.#end = start;
  }

  /** What was written since the last piece. */
  add(place: number, end: number): void {
    if (place < (this.#pieces.at(-1)?.place ?? 0)) this.#isSorted = false;
    this.#pieces.push({ place, start: this.#end, end });
    this.#end = end;
  }

  /** A message longer than its memory is written once more: then it is sorted. */
  sort(out: Buffer, end: number): void {
    if (this.#isSorted || end > out.length) return;
    const written = Buffer.from(out.subarray(this.#start, end));
    let to = this.#start;
    for (const piece of this.#pieces.sort((a, b) => a.place - b.place))
      to += written.copy(out, to, piece.start - this.#start, piece.end - this.#start);
  }
}
