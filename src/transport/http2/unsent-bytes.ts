// Bytes that a connection has written and its socket has not sent: they are unread as well as those that wait at a stream.

import type { UnreadAnswer, UnreadAnswers } from '../http/unread-answers.ts';

/** What any connection may hold without being counted: one small buffer. */
const uncountedBytes = 64 * 1024;

export class UnsentBytes implements UnreadAnswer {
  readonly #unread: UnreadAnswers;
  readonly #endConnection: () => void;
  #isCounted = false;
  #isOver = false;

  constructor(unread: UnreadAnswers, endConnection: () => void) {
    this.#unread = unread;
    this.#endConnection = endConnection;
  }

  /** A connection waits for its client for as long as there is memory. */
  get isLasting(): boolean {
    return true;
  }

  giveUp(): void {
    this.#endConnection();
  }

  /** So many bytes are held by now. */
  update(bytes: number): void {
    if (this.#isOver || (!this.#isCounted && bytes <= uncountedBytes)) return;
    this.#isCounted = bytes > 0;
    this.#unread.resize(this, bytes);
  }

  /** The socket has sent something. */
  took(): void {
    if (this.#isCounted) this.#unread.took(this);
  }

  /** The connection is over. */
  stop(): void {
    this.#isOver = true;
    this.#unread.forget(this);
  }
}
