// Pieces of a body that wait for their reader, in their order.

/** Smaller pieces are copied together. */
const smallBytes = 4096;
const noRoom = Buffer.alloc(0);

/**
 * A small piece by itself would hold on to all that was read from the socket with it, and a client may send a body byte by
 * byte. The first piece is left as it is: most bodies have one.
 */
export class BodyPieces {
  readonly #pieces: Buffer[] = [];
  /** Where small pieces are put, behind all others. */
  #buffer: Buffer = noRoom;
  #filled = 0;
  /** Of all pieces. */
  bytes = 0;

  add(piece: Buffer): void {
    const isFirst = this.bytes === 0;
    this.bytes += piece.length;
    if (isFirst || piece.length >= smallBytes) {
      this.#closeRoom();
      this.#pieces.push(piece);
      return;
    }
    if (this.#filled + piece.length > this.#buffer.length) {
      this.#closeRoom();
      this.#buffer = Buffer.allocUnsafeSlow(smallBytes);
    }
    piece.copy(this.#buffer, this.#filled);
    this.#filled += piece.length;
  }

  /** Takes out the first of them. */
  shift(): Buffer | undefined {
    if (this.#pieces.length === 0) this.#closeRoom();
    const piece = this.#pieces.shift();
    this.bytes -= piece?.length ?? 0;
    return piece;
  }

  /** Takes out all of them. */
  take(): Buffer[] {
    this.#closeRoom();
    this.bytes = 0;
    return this.#pieces.splice(0);
  }

  #closeRoom(): void {
    if (this.#filled > 0) this.#pieces.push(this.#buffer.subarray(0, this.#filled));
    this.#buffer = noRoom;
    this.#filled = 0;
  }
}
