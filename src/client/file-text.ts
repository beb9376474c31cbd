// A file that others may replace while we use it: its text is read again when it has changed.

import { readFileSync, statSync } from 'node:fs';
import type { Clock } from '../base/time/clock.ts';

/** How old what we know of a file may be. */
const freshMs = 1000;

export class FileText {
  readonly path: string;
  readonly #clock: Clock;
  #text: string | undefined;
  #stamp = '';
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
  }

  /** The text of the file; the last text if the file can no longer be read. */
  read(): string {
    const now = this.#clock.now();
    if (this.#text !== undefined && now - this.#checkedAt < freshMs) return this.#text;
    this.#checkedAt = now;
    try {
      this.#text = this.#newest();
    } catch (error) {
      if (this.#text === undefined) throw new Error(`${this.path}: ${(error as Error).message}`);
    }
    return this.#text;
  }

  /** Forgets how fresh the text is: the caller has reason to expect a newer one. */
  doubt(): void {
    this.#checkedAt = Number.NEGATIVE_INFINITY;
  }

  #newest(): string {
    const { mtimeMs, size, ino } = statSync(this.path);
    const stamp = `${mtimeMs}/${size}/${ino}`;
    if (stamp === this.#stamp && this.#text !== undefined) return this.#text;
    const text = readFileSync(this.path, 'utf8');
    this.#stamp = stamp;
    return text;
  }
}
