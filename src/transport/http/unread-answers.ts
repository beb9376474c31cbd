// Answers that wait because their clients do not read them: how much memory they hold together, and how long one may wait.

import type { Clock, Timer } from '../../base/time/clock.ts';

/** An answer of which something waits to be sent. */
export interface UnreadAnswer {
  /** It has no end, such as a watch: a client may read slowly. */
  readonly isLasting: boolean;
  /** Nothing more of it is sent. */
  giveUp(): void;
}

interface UnreadLimits {
  readonly unreadBytes: number;
  readonly unreadMs: number;
}

interface Waiting {
  /** When the client took something of it last. */
  tookAt: number;
  /** What holds its pieces in memory, in the order in which they are sent. */
  readonly holders: object[];
}

interface Held {
  bytes: number;
  uses: number;
}

export class UnreadAnswers {
  readonly #limits: UnreadLimits;
  readonly #clock: Clock;
  /** The one of which nothing was taken for longest comes first. */
  readonly #answers = new Map<UnreadAnswer, Waiting>();
  /** Bytes that are in many answers count once. */
  readonly #held = new Map<object, Held>();
  #bytes = 0;
  #timer: Timer | undefined;

  constructor(limits: UnreadLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** One more piece of an answer waits. */
  add(answer: UnreadAnswer, piece: Uint8Array): void {
    this.hold(answer, piece.buffer, piece.length);
  }

  /** Counts bytes that Node holds; `holder` identifies them. */
  hold(answer: UnreadAnswer, holder: object, bytes: number): void {
    const waiting = this.#answers.get(answer);
    if (waiting === undefined) this.#answers.set(answer, { tookAt: this.#clock.now(), holders: [holder] });
    else waiting.holders.push(holder);
    const held = this.#held.get(holder);
    if (held !== undefined) held.uses++;
    else {
      this.#held.set(holder, { bytes, uses: 1 });
      this.#bytes += bytes;
    }
    this.#limit();
  }

  /** Bytes that change while they wait: those that a connection has written and not sent. */
  resize(answer: UnreadAnswer, bytes: number): void {
    const held = this.#held.get(answer);
    if (bytes === 0) this.forget(answer);
    else if (held === undefined) this.hold(answer, answer, bytes);
    else {
      this.#bytes += bytes - held.bytes;
      held.bytes = bytes;
      this.#limit();
    }
  }

  /** The client took something of it. */
  took(answer: UnreadAnswer): void {
    const waiting = this.#answers.get(answer);
    if (waiting === undefined) return;
    waiting.tookAt = this.#clock.now();
    this.#answers.delete(answer);
    this.#answers.set(answer, waiting);
  }

  /** Its first piece was sent. */
  tookPiece(answer: UnreadAnswer): void {
    const waiting = this.#answers.get(answer);
    const holder = waiting?.holders.shift();
    if (holder !== undefined) this.#letGo(holder);
    if (waiting?.holders.length === 0) this.#answers.delete(answer);
    else this.took(answer);
  }

  /** Nothing of it waits any more. */
  forget(answer: UnreadAnswer): void {
    const waiting = this.#answers.get(answer);
    if (waiting === undefined) return;
    this.#answers.delete(answer);
    for (const holder of waiting.holders) this.#letGo(holder);
  }

  #letGo(holder: object): void {
    const held = this.#held.get(holder);
    if (held === undefined || --held.uses > 0) return;
    this.#held.delete(holder);
    this.#bytes -= held.bytes;
  }

  #limit(): void {
    while (this.#bytes > this.#limits.unreadBytes) this.#giveUpFirst();
    this.#arm();
  }

  #giveUpFirst(): void {
    const [first] = this.#answers.keys();
    if (first === undefined) return;
    this.forget(first);
    first.giveUp();
  }

  /** One timer for all of them; one that fires too early finds nothing to do. */
  #arm(): void {
    if (this.#timer !== undefined) return;
    const [first] = this.#answers.values();
    if (first === undefined) return;
    const left = first.tookAt + this.#limits.unreadMs - this.#clock.now();
    this.#timer = this.#clock.after(Math.max(0, left), () => this.#onTime());
  }

  #onTime(): void {
    this.#timer = undefined;
    const end = this.#clock.now() - this.#limits.unreadMs;
    for (const [answer, { tookAt }] of [...this.#answers]) {
      if (tookAt > end) break;
      if (answer.isLasting) this.took(answer);
      else {
        this.forget(answer);
        answer.giveUp();
      }
    }
    this.#arm();
  }
}
