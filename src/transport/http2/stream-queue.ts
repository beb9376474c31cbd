// The requests of one connection of HTTP/2, in turns. They are served after all that has come was read, so that a client that sends
// requests and takes them back in the same breath has none of them answered; and no longer than for a moment, since others wait.

/** Served without looking at the time; set back now and then, not in every turn: most turns have one or two streams. */
const uncounted = 8;
/** What the others of a turn of the event loop may take together. */
const turnMs = 10;

interface QueuedStream {
  /** It was taken back. */
  readonly isOver: boolean;
  serve(): void;
}

export class StreamQueue {
  readonly #waiting: QueuedStream[] = [];
  #next = 0;
  #served = 0;
  #turnEnd = 0;
  #isArmed = false;
  readonly #onFailure: (error: unknown) => void;

  /** `onFailure` takes errors of requests that are served in later ticks of the event loop. */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  add(stream: QueuedStream): void {
    this.#waiting.push(stream);
  }

  /** Serves what waits; what takes too long is served in later turns. */
  run(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    while (this.#next < waiting.length && this.#hasTime()) this.#serve(waiting[this.#next++] as QueuedStream);
    if (this.#next < waiting.length) this.#arm();
    waiting.splice(0, this.#next);
    this.#next = 0;
  }

  #serve(stream: QueuedStream): void {
    if (stream.isOver) return;
    this.#served++;
    if (this.#served === uncounted) this.#begin();
    stream.serve();
  }

  #hasTime(): boolean {
    return this.#served < uncounted || performance.now() < this.#turnEnd;
  }

  #begin(): void {
    this.#turnEnd = performance.now() + turnMs;
    this.#arm();
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#runLater());
  }

  #runLater(): void {
    this.#isArmed = false;
    this.#served = 0;
    try {
      this.run();
    } catch (error) {
      this.#onFailure(error);
    }
  }
}
