// The streams of one connection, in turns. Node hands over each as soon as its headers are read, before it has read what
// follows: a client that sends requests and takes them back in the same breath would have them all answered first. So what
// takes a moment is served at once, and the rest after what has come was read: those that were taken back are dropped by then.

import type { ServerHttp2Stream } from 'node:http2';

/** Served without looking at the time; set back now and then, not in every turn: most turns have one or two streams. */
const uncounted = 8;
/** What the others of a turn of the event loop may take together. */
const turnMs = 10;

interface QueuedStream {
  readonly stream: ServerHttp2Stream;
  serve(): void;
}

export class StreamQueue {
  readonly #limit: number;
  readonly #drop: (stream: ServerHttp2Stream) => void;
  #waiting: QueuedStream[] = [];
  #served = 0;
  #turnEnd = 0;
  #isArmed = false;

  /** Looks through the waiting streams as soon as there are more than `limit`; `drop` is for those that were taken back. */
  constructor(limit: number, drop: (stream: ServerHttp2Stream) => void) {
    this.#limit = limit;
    this.#drop = drop;
  }

  add(entry: QueuedStream): void {
    if (this.#waiting.length === 0 && this.#hasTime()) {
      this.#serve(entry);
      return;
    }
    this.#waiting.push(entry);
    if (this.#waiting.length > this.#limit) this.#waiting = this.#waiting.filter((one) => !this.#dropped(one));
  }

  #serve(entry: QueuedStream): void {
    if (this.#dropped(entry)) return;
    this.#served++;
    if (this.#served === uncounted) this.#begin();
    entry.serve();
  }

  #hasTime(): boolean {
    return this.#served < uncounted || performance.now() < this.#turnEnd;
  }

  #begin(): void {
    this.#turnEnd = performance.now() + turnMs;
    this.#arm();
  }

  #dropped({ stream }: QueuedStream): boolean {
    const isOver = stream.destroyed || stream.closed;
    if (isOver) this.#drop(stream);
    return isOver;
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isArmed = false;
    this.#served = 0;
    const waiting = this.#waiting;
    let next = 0;
    while (next < waiting.length && this.#hasTime()) this.#serve(waiting[next++] as QueuedStream);
    this.#waiting = waiting.slice(next);
    if (this.#waiting.length > 0) this.#arm();
  }
}
