// Windows that a client opens again as it reads: by no more than the bytes that were sent to it. Such frames cost it nothing, in steps of
// whatever size and however late they come: an honest client that reads slowly sends thousands of them at once.

export class WindowCredit {
  #used = 0;

  /** Whether a window grows by bytes of which as many were sent, and which no other frame has given back. */
  covers(increment: number, sentBytes: number): boolean {
    if (increment === 0 || this.#used + increment > sentBytes) return false;
    this.#used += increment;
    return true;
  }
}
