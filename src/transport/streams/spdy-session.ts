// The server's side of SPDY/3.1, as far as clients of exec, attach and port-forward use it: streams that the client opens.

import { createInflate, type Inflate } from 'node:zlib';
import type { BytePipe } from './byte-pipe.ts';
import { spdyDictionary } from './spdy-dictionary.ts';

const types = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7 } as const;
const finFlag = 1;
const maxFrameBytes = 1024 * 1024;
const maxHeaderBytes = 64 * 1024;
const maxStreams = 1000;

/**
 * The first compressed block of a session begins with the name of the dictionary; each then holds no headers. The empty block
 * at its end makes a reader flush its output.
 */
const compressionStart = Buffer.from('78bbe3c6a7c2', 'hex');
const noHeaders = Buffer.from('000400fbff00000000000000ffff', 'hex');

/** Inflated data waits until it is read, a block at a time. */
const inflateOptions = { dictionary: spdyDictionary, readableHighWaterMark: maxHeaderBytes };

export interface SpdyStream {
  readonly id: number;
  readonly headers: Readonly<Record<string, string>>;
  onData: (chunk: Buffer) => void;
  /** The client has no more to send. */
  onEnd: () => void;
  write(chunk: Uint8Array): void;
  /** Nothing more is written. */
  end(): void;
  /** Ends both directions at once. */
  reset(): void;
}

interface SessionEvents {
  onStream(stream: SpdyStream): void;
  onClose(): void;
}

export class SpdySession {
  readonly #pipe: BytePipe;
  readonly #events: SessionEvents;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #inflate: Inflate = createInflate(inflateOptions);
  #rest: Buffer = Buffer.alloc(0);
  /** Frames are handled in order, though headers are inflated by another thread. */
  #work: Promise<void> = Promise.resolve();
  #hasReplied = false;
  #isClosed = false;

  constructor(pipe: BytePipe, events: SessionEvents) {
    this.#pipe = pipe;
    this.#events = events;
    this.#inflate.on('error', () => this.close());
    pipe.onData = (chunk) => this.#take(chunk);
    pipe.onEnd = () => this.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stream of this.#streams.values()) stream.onEnd();
    this.#streams.clear();
    this.#inflate.destroy();
    this.#pipe.end();
    this.#events.onClose();
  }

  #take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (!this.#isClosed && this.#rest.length >= 8) {
      const length = this.#rest.readUIntBE(5, 3);
      if (length > maxFrameBytes) {
        this.close();
        return;
      }
      if (this.#rest.length < 8 + length) return;
      const frame = Buffer.from(this.#rest.subarray(0, 8 + length));
      this.#rest = this.#rest.subarray(8 + length);
      this.#work = this.#work.then(() => (this.#isClosed ? undefined : this.#onFrame(frame)));
    }
  }

  async #onFrame(frame: Buffer): Promise<void> {
    const flags = frame[4] as number;
    const payload = frame.subarray(8);
    if (((frame[0] as number) & 0x80) === 0) {
      this.#onData(frame.readUInt32BE(0), flags, payload);
      return;
    }
    switch (frame.readUInt16BE(2)) {
      case types.synStream:
        return this.#onSynStream(payload, flags);
      case types.reset:
        this.#forget(payload.readUInt32BE(0));
        return;
      case types.ping:
        this.#pipe.write(controlFrame(types.ping, payload));
        return;
      case types.goAway:
        this.close();
        return;
      default:
        // settings and windows: neither side limits what the other sends
        return;
    }
  }

  #onData(id: number, flags: number, payload: Buffer): void {
    const stream = this.#streams.get(id);
    if (payload.length > 0) stream?.onData(payload);
    if ((flags & finFlag) !== 0) stream?.onEnd();
  }

  #forget(id: number): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.onEnd();
  }

  async #onSynStream(payload: Buffer, flags: number): Promise<void> {
    if (payload.length < 10 || this.#streams.size >= maxStreams) {
      this.close();
      return;
    }
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    const headers = readHeaders(await this.#inflateBlock(payload.subarray(10)));
    if (headers === undefined || this.#isClosed) {
      this.close();
      return;
    }
    const stream = this.#open(id, headers);
    this.#streams.set(id, stream);
    this.#reply(id);
    this.#events.onStream(stream);
    if ((flags & finFlag) !== 0) stream.onEnd();
  }

  #inflateBlock(block: Buffer): Promise<Buffer> {
    return new Promise((resolve) => {
      const done = () => resolve(readAll(this.#inflate));
      this.#inflate.once('close', done);
      this.#inflate.write(block, () => {
        this.#inflate.off('close', done);
        done();
      });
      // a block that is longer than it may be is never read as a whole
      if (this.#inflate.readableLength >= maxHeaderBytes) this.close();
    });
  }

  #open(id: number, headers: Readonly<Record<string, string>>): SpdyStream {
    let isEnded = false;
    const send = (chunk: Uint8Array, flags: number) => {
      if (!isEnded && !this.#isClosed) for (const frame of dataFrames(id, chunk, flags)) this.#pipe.write(frame);
    };
    return {
      ...{ id, headers },
      onData: () => {},
      onEnd: () => {},
      write: (chunk) => send(chunk, 0),
      end() {
        send(Buffer.alloc(0), finFlag);
        isEnded = true;
      },
      reset: () => {
        isEnded = true;
        this.#streams.delete(id);
        const body = Buffer.alloc(8);
        body.writeUInt32BE(id, 0);
        body.writeUInt32BE(5, 4);
        if (!this.#isClosed) this.#pipe.write(controlFrame(types.reset, body));
      },
    };
  }

  #reply(id: number): void {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(id);
    const block = this.#hasReplied ? noHeaders : Buffer.concat([compressionStart, noHeaders]);
    this.#hasReplied = true;
    this.#pipe.write(controlFrame(types.synReply, Buffer.concat([head, block])));
  }
}

function controlFrame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8003, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

const maxDataBytes = 32 * 1024;

function dataFrames(id: number, chunk: Uint8Array, flags: number): readonly Buffer[] {
  const frames: Buffer[] = [];
  let at = 0;
  do {
    const part = chunk.subarray(at, at + maxDataBytes);
    at += part.length;
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id, 0);
    head[4] = at >= chunk.length ? flags : 0;
    head.writeUIntBE(part.length, 5, 3);
    frames.push(Buffer.concat([head, part]));
  } while (at < chunk.length);
  return frames;
}

/** Names in lower case; undefined for a block that is not whole. */
function readHeaders(block: Buffer): Readonly<Record<string, string>> | undefined {
  let at = 4;
  const text = (): string | undefined => {
    if (at + 4 > block.length) return undefined;
    const length = block.readUInt32BE(at);
    if (at + 4 + length > block.length) return undefined;
    at += 4 + length;
    return block.toString('utf8', at - length, at);
  };
  if (block.length < 4) return undefined;
  const entries: [string, string][] = [];
  for (let left = block.readUInt32BE(0); left > 0; left--) {
    const [name, value] = [text(), text()];
    if (name === undefined || value === undefined) return undefined;
    entries.push([name.toLowerCase(), value.split('\0')[0] ?? '']);
  }
  return Object.fromEntries(entries);
}

/** Since Node 24, one read returns one piece. */
function readAll(inflate: Inflate): Buffer {
  const pieces: Buffer[] = [];
  for (let piece: unknown = inflate.read(); piece !== null; piece = inflate.read()) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
