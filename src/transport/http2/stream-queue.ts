// The queue of requests of one connection of HTTP/2. They are served after all received bytes were read, so that a client that sends
// requests and takes them back in the same breath has none of them answered; and no longer than for a moment, since others wait.

/** Streams that are served without reading the clock; reset now and then, not in every tick: most ticks have one or two. */
const untimedStreams = 8;
/** The time slice of the other streams in one tick of the event loop. */
const sliceMs = 10;

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

  /** Serves waiting requests; after the time slice the rest waits for later ticks. */
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
    if (this.#served === untimedStreams) this.#begin();
    stream.serve();
  }

  #hasTime(): boolean {
    return this.#served < untimedStreams || performance.now() < this.#turnEnd;
  }

  #begin(): void {
    this.#turnEnd = performance.now() + sliceMs;
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
