// When work that is made of many small parts has done enough of them for one step.

/** About so many parts of an expression are one step. */
const partsInStep = 200;

export class StepSize {
  #parts = 0;

  /** Whether it is time for a pause, with so many more parts done. */
  isFull(parts: number): boolean {
    this.#parts += parts;
    if (this.#parts < partsInStep) return false;
    this.#parts = 0;
    return true;
  }
}
