// Many watches on a few connections, each counting the events it receives.
import { Connection } from './connection.mjs';
import { deferred, within } from './deferred.mjs';
import { encodeRequest } from './hpack.mjs';

const OPEN_MS = 20_000;
const NEWLINE = 10;
const JSON_TYPE = 'application/json';

/** An event is a line: JSON text has no bare newline inside. */
function countLines(part) {
  let lines = 0;
  for (let at = part.indexOf(NEWLINE); at !== -1; at = part.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

/** Opens `watches` requests for `path` over `connections` connections; resolves when all have been accepted. */
export async function openWatchers({ target, path, accept = JSON_TYPE, watches, connections }) {
  const group = new Watchers(accept);
  const share = Array.from({ length: connections }, (_, index) => Math.floor((watches + index) / connections));
  const opening = Promise.all(share.map((count) => group.add({ target, path, count })));
  try {
    await within(OPEN_MS, 'opening watches', opening);
  } catch (error) {
    group.close();
    throw error;
  }
  return group;
}

class Watchers {
  #connections = [];
  #failure = deferred();
  #goal = { events: Number.POSITIVE_INFINITY, reached: deferred() };
  /** One counter for each watch. */
  #counts = [];
  /** For each watch of protobuf: what is left of its frame, and of the four bytes of the next one's length. */
  #frames = [];
  #accept;
  events = 0;
  bytes = 0;

  constructor(accept) {
    this.#accept = accept;
  }

  get failure() {
    return this.#failure.promise;
  }

  async add({ target, path, count }) {
    const first = this.#counts.length;
    this.#counts.push(...new Array(count).fill(0));
    const accepted = deferred();
    const connection = await Connection.open(target, this.#handlers({ first, count, accepted }));
    this.#connections.push(connection);
    if (connection.maxStreams < count)
      throw new Error(`the server allows ${connection.maxStreams} streams a connection`);
    const request = encodeRequest({
      authority: `127.0.0.1:${target.port}`,
      path,
      headers: { accept: this.#accept },
    });
    for (let sent = 0; sent < count; sent += 1) connection.send(request);
    connection.flush();
    await Promise.race([accepted.promise, this.failure]);
  }

  /** Resolves when every watch has received `each` more events; fails when one got more, or was ended. */
  async waitFor(each) {
    const watches = this.#counts.length;
    const before = [...this.#counts];
    this.#goal = { events: this.events + each * watches, reached: deferred() };
    await Promise.race([this.#goal.reached.promise, this.failure]);
    const uneven = this.#counts.filter((count, index) => count - before[index] !== each).length;
    if (uneven > 0) throw new Error(`${uneven} of ${watches} watches did not receive each event once`);
  }

  close() {
    for (const connection of this.#connections) connection.close();
  }

  #handlers({ first, count, accepted }) {
    let open = 0;
    const fail = (message) => this.#failure.reject(new Error(message));
    return {
      headers: (_, status) => {
        open += 1;
        if (status !== 200) fail(`watch answered with status ${status}`);
        if (open === count) accepted.resolve();
      },
      data: (stream, bytes, start, end) => this.#received({ watch: first + (stream >> 1), bytes, start, end }),
      ended: () => fail('the server ended a watch'),
      failed: (error) => this.#failure.reject(error),
    };
  }

  /** An event is a frame behind four bytes of length. */
  #countFrames(watch, part) {
    this.#frames[watch] ??= { left: 0, length: 0, lengthBytes: 0 };
    const frame = this.#frames[watch];
    let frames = 0;
    for (let at = 0; at < part.length; ) {
      if (frame.left === 0) {
        frame.length = frame.length * 256 + part[at++];
        if (++frame.lengthBytes < 4) continue;
        Object.assign(frame, { left: frame.length, length: 0, lengthBytes: 0 });
      }
      const taken = Math.min(frame.left, part.length - at);
      at += taken;
      frame.left -= taken;
      if (frame.left === 0) frames += 1;
    }
    return frames;
  }

  #received({ watch, bytes, start, end }) {
    const count = this.#accept.startsWith(JSON_TYPE) ? countLines : (part) => this.#countFrames(watch, part);
    const events = count(bytes.subarray(start, end));
    this.#counts[watch] += events;
    this.events += events;
    this.bytes += end - start;
    if (this.events >= this.#goal.events) this.#goal.reached.resolve();
  }
}
