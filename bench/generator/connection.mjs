// One HTTP/2 connection spoken by hand: it parses nothing but frame headers, so the client costs far less than the server.
import { connect } from 'node:tls';
import { frame, readStatus } from './hpack.mjs';

const TYPE = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 };
const FLAG = { endStream: 1, ack: 1 };
const SETTING = { maxConcurrentStreams: 3, initialWindowSize: 4 };

/** Windows as wide as h2load's: flow control must not be what is measured. */
const WINDOW = 2 ** 30;
const DEFAULT_WINDOW = 65_535;
const REFILL_AFTER = 2 ** 28;
const READ_SIZE = 65_536;
const NOTHING = Buffer.alloc(0);

/**
 * What happens on a connection is told to `handlers`, all optional:
 * headers(stream, status), data(stream, bytes, start, end), ended(stream), failed(error).
 */
export class Connection {
  #socket;
  #handlers;
  #nextStream = 1;
  #sendWindow = DEFAULT_WINDOW;
  #waiting = [];
  #out = [];
  #status = 0;
  #isFlushing = false;
  #rest = NOTHING;
  #data = { stream: 0, left: 0, isLast: false };
  #unrefilled = 0;
  #closed = false;
  maxStreams = Number.POSITIVE_INFINITY;

  /** Resolves when the server has sent its settings. `target` is { port, ca?, cert?, key?, rejectUnauthorized? }. */
  static open(target, handlers = {}) {
    return new Promise((resolve, reject) => {
      const failed = (error) => {
        reject(error);
        handlers.failed?.(error);
      };
      const connection = new Connection(target, { ...handlers, failed, settled: () => resolve(connection) });
    });
  }

  constructor(target, handlers) {
    this.#handlers = handlers;
    this.#socket = connect({ host: '127.0.0.1', ALPNProtocols: ['h2'], onread: this.#reader(), ...target });
    this.#socket.setNoDelay(true);
    this.#socket.on('secureConnect', () => this.#greet());
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  /** Queues one request made by encodeRequest and returns its stream id; flush() sends. */
  send(request, counter = 0) {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    const form = stream === 1 ? request.first : request.later;
    const bytes = Buffer.from(form.bytes);
    bytes.writeUInt32BE(stream, 5);
    if (form.dataAt !== -1) bytes.writeUInt32BE(stream, form.dataAt + 5);
    if (form.counterAt !== -1) bytes.write(String(counter).padStart(10, '0'), form.counterAt, 'latin1');
    this.#queue({ bytes, cost: request.bodyLength });
    return stream;
  }

  flush() {
    if (this.#out.length === 0) return;
    this.#socket.write(this.#out.length === 1 ? this.#out[0] : Buffer.concat(this.#out));
    this.#out = [];
  }

  close() {
    this.#closed = true;
    this.#socket.destroy();
  }

  /** One buffer for all that arrives: a third cheaper than 'data' events when megabytes do. */
  #reader() {
    const callback = (length, buffer) => {
      this.#read(buffer.subarray(0, length));
      return true;
    };
    return { buffer: Buffer.allocUnsafeSlow(READ_SIZE), callback };
  }

  #greet() {
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    const settings = Buffer.alloc(6);
    settings.writeUInt16BE(SETTING.initialWindowSize, 0);
    settings.writeUInt32BE(WINDOW, 2);
    this.#out.push(preface, frame(TYPE.settings, 0, settings), widen(WINDOW - DEFAULT_WINDOW));
    this.flush();
  }

  /** Bodies wait, in order, for the server's connection window. */
  #queue(message) {
    if (this.#waiting.length > 0 || message.cost > this.#sendWindow) {
      this.#waiting.push(message);
      return;
    }
    this.#sendWindow -= message.cost;
    this.#out.push(message.bytes);
  }

  #read(chunk) {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    let at = 0;
    for (let next = this.#take(bytes, at); next !== at; next = this.#take(bytes, at)) at = next;
    this.#rest = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
    this.#refill();
    this.#flushSoon();
  }

  /** One write for all that the chunks of this turn set off: a server that is sent crumbs spends its time reading. */
  #flushSoon() {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      if (!this.#closed) this.flush();
    });
  }

  /** Consumes one piece (a frame, or the part of a DATA frame that has arrived) and returns where the next begins. */
  #take(bytes, at) {
    if (this.#data.left > 0) return this.#takeData(bytes, at);
    if (bytes.length - at < 9) return at;
    const length = bytes.readUIntBE(at, 3);
    const type = bytes[at + 3];
    const stream = bytes.readUInt32BE(at + 5) & 0x7fffffff;
    if (type === TYPE.data) return this.#beginData(stream, length, (bytes[at + 4] & FLAG.endStream) !== 0, at + 9);
    if (bytes.length - at - 9 < length) return at;
    this.#handle({ type, flags: bytes[at + 4], stream, bytes, start: at + 9, end: at + 9 + length });
    return at + 9 + length;
  }

  #beginData(stream, length, isLast, at) {
    if (length === 0 && isLast) this.#handlers.ended?.(stream);
    const data = this.#data;
    data.stream = stream;
    data.left = length;
    data.isLast = isLast;
    return at;
  }

  #takeData(bytes, at) {
    const data = this.#data;
    const end = Math.min(bytes.length, at + data.left);
    this.#handlers.data?.(data.stream, bytes, at, end);
    data.left -= end - at;
    this.#unrefilled += end - at;
    if (data.left === 0 && data.isLast) this.#handlers.ended?.(data.stream);
    return end;
  }

  #handle({ type, flags, stream, bytes, start, end }) {
    if (type === TYPE.headers) this.#answered(stream, flags, readStatus(bytes, start, this.#status));
    else if (type === TYPE.windowUpdate && stream === 0) this.#widened(bytes.readUInt32BE(start));
    else if (type === TYPE.settings && !(flags & FLAG.ack)) this.#settled(bytes.subarray(start, end));
    else if (type === TYPE.ping && !(flags & FLAG.ack))
      this.#out.push(frame(TYPE.ping, FLAG.ack, bytes.subarray(start, end)));
    else if (type === TYPE.reset) this.#fail(new Error(`stream reset with code ${bytes.readUInt32BE(start)}`));
    else if (type === TYPE.goaway) this.#fail(new Error(`connection ended with code ${bytes.readUInt32BE(start + 4)}`));
  }

  #answered(stream, flags, status) {
    this.#status = status;
    this.#handlers.headers?.(stream, status);
    if (flags & FLAG.endStream) this.#handlers.ended?.(stream);
  }

  #settled(settings) {
    for (let at = 0; at < settings.length; at += 6)
      if (settings.readUInt16BE(at) === SETTING.maxConcurrentStreams) this.maxStreams = settings.readUInt32BE(at + 2);
    this.#out.push(frame(TYPE.settings, FLAG.ack, NOTHING));
    this.#handlers.settled?.();
  }

  #widened(increment) {
    this.#sendWindow += increment;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const message of waiting) this.#queue(message);
  }

  #refill() {
    if (this.#unrefilled < REFILL_AFTER) return;
    this.#out.push(widen(this.#unrefilled));
    this.#unrefilled = 0;
  }

  #fail(error) {
    if (this.#closed) return;
    this.close();
    this.#handlers.failed?.(error);
  }
}

function widen(increment) {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return frame(TYPE.windowUpdate, 0, payload);
}
