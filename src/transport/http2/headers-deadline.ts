// A block of headers that needs several frames has to be whole some time after its first: until then it takes memory, and holds up
// everything else on its connection.

import type { Deadline } from '../../base/time/deadlines.ts';
import type { Connection } from '../http/connections.ts';

/** The connection, as its deadline sees it. */
interface HeadersReader {
  /** The number of the incomplete header block; 0 where all are complete. */
  readonly openBlock: number;
  /** Nothing is read at this time: what the client has sent may be the rest. */
  readonly isPaused: boolean;
  onSlowHeaders(): void;
}

export class HeadersDeadline {
  readonly #reader: HeadersReader;
  readonly #connection: Connection;
  #block = 0;
  #deadline: Deadline | undefined;

  constructor(reader: HeadersReader, connection: Connection) {
    this.#reader = reader;
    this.#connection = connection;
  }

  /** To be called when something was read. */
  update(): void {
    const { openBlock } = this.#reader;
    if (openBlock === this.#block) return;
    this.stop();
    this.#block = openBlock;
    if (openBlock !== 0) this.#wait();
  }

  stop(): void {
    if (this.#deadline !== undefined) this.#connection.cancel(this.#deadline);
    this.#deadline = undefined;
  }

  onDeadline(): void {
    if (this.#reader.isPaused) {
      this.#wait();
      return;
    }
    const block = this.#block;
    // what has come while the server was busy is read first: that is in the next tick of the event loop at the latest
    setImmediate(() => setImmediate(() => this.#end(block)));
  }

  #end(block: number): void {
    if (this.#reader.openBlock === block) this.#reader.onSlowHeaders();
  }

  #wait(): void {
    this.#deadline = this.#connection.waitForHeaders(this);
  }
}
