// Prints how far a run is, such as `3/4 tests 129/578`, at most every few seconds. `scripts/test.mjs` names the phase.

import type { Reporter, TestSpecification } from 'vitest/node';

const stepMs = 5000;

export class Progress implements Reporter {
  readonly #phase: string;
  #files = 0;
  #doneFiles = 0;
  #printedAt = 0;

  constructor(phase: string) {
    this.#phase = phase;
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.#files = files.length;
    this.#printedAt = Date.now();
  }

  onTestModuleEnd(): void {
    this.#doneFiles++;
    const now = Date.now();
    if (now - this.#printedAt < stepMs && this.#doneFiles < this.#files) return;
    this.#printedAt = now;
    console.log(`${this.#phase} ${this.#doneFiles}/${this.#files}`);
  }
}
