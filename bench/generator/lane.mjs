// One connection of a load: answers come in, the next requests go out, in the same turn of the event loop.
import { Connection } from './connection.mjs';
import { deferred } from './deferred.mjs';

/** Start times are kept by stream id; far more slots than requests can be in flight. */
const SLOTS = 4096;
/** As much of a wrong answer as helps to understand it. */
const EXCERPT = 300;

/** Makes every body in the life of this process different. */
let counter = 0;

export class Lane {
  #connection;
  #options;
  #turn;
  #left;
  #starts = new Float64Array(SLOTS);
  #inFlight = 0;
  #isDraining = false;
  #drained = deferred();
  #wrong;

  /** `options`: { target, requests (encoded), turn, limit?, expect, meter, failed }. */
  static async open(options) {
    const lane = new Lane(options);
    lane.#connection = await Connection.open(options.target, {
      headers: (stream, status) => lane.#answered(stream, status),
      data: (stream, bytes, start, end) => lane.#received(stream, bytes, start, end),
      ended: (stream) => lane.#ended(stream),
      failed: options.failed,
    });
    return lane;
  }

  constructor(options) {
    this.#options = options;
    this.#turn = options.turn;
    this.#left = options.limit ?? Number.POSITIVE_INFINITY;
  }

  begin(inFlight) {
    for (let sent = 0; sent < inFlight; sent += 1) this.#send(performance.now());
    this.#connection.flush();
  }

  /** Sends no more; resolves when every answer is in. */
  drain() {
    this.#isDraining = true;
    if (this.#inFlight === 0) this.#drained.resolve();
    return this.#drained.promise;
  }

  close() {
    this.#connection.close();
  }

  #send(now) {
    const { requests } = this.#options;
    if (this.#left === 0) return;
    counter += 1;
    this.#left -= 1;
    const stream = this.#connection.send(requests[this.#turn % requests.length], counter);
    this.#starts[(stream >> 1) % SLOTS] = now;
    this.#turn += 1;
    this.#inFlight += 1;
  }

  #answered(stream, status) {
    const { expect } = this.#options;
    if (![expect].flat().includes(status)) this.#wrong ??= { stream, status, text: '' };
  }

  #received(stream, bytes, start, end) {
    this.#options.meter.bytes += end - start;
    if (this.#wrong?.stream === stream) this.#wrong.text += bytes.toString('utf8', start, end);
  }

  #ended(stream) {
    if (this.#wrong?.stream === stream) this.#refuse(this.#wrong);
    const now = performance.now();
    this.#options.meter.answered(now - this.#starts[(stream >> 1) % SLOTS]);
    this.#inFlight -= 1;
    if (!this.#isDraining) this.#send(now);
    else if (this.#inFlight === 0) this.#drained.resolve();
  }

  #refuse({ status, text }) {
    this.#isDraining = true;
    this.#options.failed(new Error(`status ${status} instead of ${this.#options.expect}: ${text.slice(0, EXCERPT)}`));
  }
}
