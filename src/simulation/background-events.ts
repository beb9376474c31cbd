// Events that are written while other work goes on: nothing waits for them, and only so many wait to be written.

import type { ControllerContext } from '../controllers/controller.ts';
import { EventRecorder, type Occurrence } from '../controllers/event-recorder.ts';
import type { ApiObject } from '../meta/object.ts';

/** Events that wait; more are dropped, as a component drops those that it cannot send. */
const maxWaiting = 10_000;
const maxWriters = 8;

interface Waiting {
  readonly about: ApiObject;
  readonly occurrence: Occurrence;
}

export class BackgroundEvents {
  readonly #recorder: EventRecorder;
  readonly #waiting: Waiting[] = [];
  readonly #writers = new Set<Promise<void>>();
  #isClosed = false;

  constructor(context: ControllerContext, component: string) {
    this.#recorder = new EventRecorder(context, component);
  }

  tell(about: ApiObject, occurrence: Occurrence): void {
    if (this.#isClosed || this.#waiting.length >= maxWaiting) return;
    this.#waiting.push({ about, occurrence });
    if (this.#writers.size >= maxWriters) return;
    const writer: Promise<void> = this.#write().finally(() => this.#writers.delete(writer));
    this.#writers.add(writer);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.length = 0;
    await Promise.all(this.#writers);
  }

  async #write(): Promise<void> {
    // writes of the work that caused the event come first
    await Promise.resolve();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      await this.#recorder.tell(next.about, next.occurrence);
  }
}
