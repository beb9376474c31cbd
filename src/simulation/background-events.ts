// Events that are written when the work they are about has come to rest: nothing waits for them, and only so many wait to be
// written.

import type { ControllerContext } from '../controllers/controller.ts';
import { EventRecorder, type Occurrence } from '../controllers/event-recorder.ts';
import type { ApiObject } from '../meta/object.ts';

/** Events that wait; more are dropped, as a component drops those that it cannot send. */
const maxWaiting = 10_000;
const maxWriters = 8;
/** So many are written even while there is other work. */
const manyWaiting = 5000;

interface Waiting {
  readonly about: ApiObject;
  readonly occurrence: Occurrence;
}

export class BackgroundEvents {
  readonly #recorder: EventRecorder;
  readonly #waiting: Waiting[] = [];
  readonly #writers = new Set<Promise<void>>();
  /** Writers that will look for another event. */
  #writing = 0;
  #isClosed = false;

  readonly #isBusy: () => boolean;

  /** `isBusy` returns whether there is other work, which comes first; `resume` must be called after it. */
  constructor(context: ControllerContext, component: string, isBusy: () => boolean) {
    this.#recorder = new EventRecorder(context, component);
    this.#isBusy = isBusy;
  }

  tell(about: ApiObject, occurrence: Occurrence): void {
    if (this.#isClosed || this.#waiting.length >= maxWaiting) return;
    this.#waiting.push({ about, occurrence });
    this.resume();
  }

  /** Writes what waits, unless there is other work. */
  resume(): void {
    if (this.#isClosed || this.#mustWait) return;
    while (this.#writing < Math.min(maxWriters, this.#waiting.length)) {
      this.#writing++;
      const writer: Promise<void> = this.#write().finally(() => this.#writers.delete(writer));
      this.#writers.add(writer);
    }
  }

  get #mustWait(): boolean {
    return this.#isBusy() && this.#waiting.length < manyWaiting;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    await Promise.all(this.#writers);
  }

  async #write(): Promise<void> {
    // writes of the work that caused the event come first
    await Promise.resolve();
    while (!this.#mustWait) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      await this.#recorder.tell(next.about, next.occurrence);
    }
    this.#writing--;
  }
}
