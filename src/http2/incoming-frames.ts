// The frames that one end of a connection of HTTP/2 receives, client or server: they are read, checked by the rules of both ends
// (RFC 9113, sections 4 and 6) and handed to the code that knows the streams.

import { flag, frameType, maxFrameBytes, maxFrameSetting, maxWindow, setting } from './frame.ts';
import { fieldsIn, incrementOf, priorityBytes, withoutPadding, wordOf } from './frame-payload.ts';
import { type Frame, FrameReader } from './frame-reader.ts';
import { HeaderBlock } from './header-block.ts';
import { errorCodes, Http2Error } from './http2-error.ts';

/** What the streams of one end make of frames. Each may throw an `Http2Error`: it ends the connection. */
export interface FrameListener {
  /** `frameBytes` count for flow control: those of padding too. */
  onData(stream: number, piece: Buffer, frameBytes: number, isLast: boolean): void;
  /** All fields of a block, as they were sent. */
  onHeaders(stream: number, block: Buffer, isLast: boolean): void;
  onReset(stream: number, code: number): void;
  /** For the connection if `stream` is 0; an update of 0 bytes is an error of that stream. */
  onWindow(stream: number, bytes: number): void;
  onSetting(id: number, value: number): void;
  /** After each of them. */
  onSettings(isAck: boolean): void;
  onPing(payload: Buffer, isAck: boolean): void;
  onGoaway(last: number): void;
  /** A frame that means nothing here: a priority, or a kind that is not known. */
  onIgnored(): void;
}

export class IncomingFrames {
  readonly #listener: FrameListener;
  readonly #reader = new FrameReader();
  readonly #block: HeaderBlock;
  readonly #take = (frame: Frame) => this.#onFrame(frame);
  #blocks = 0;
  #isStopped = false;
  #isGreeted = false;

  /** A block of headers has `maxBlockBytes` as it is sent. */
  constructor(listener: FrameListener, maxBlockBytes: number) {
    this.#listener = listener;
    this.#block = new HeaderBlock(maxBlockBytes);
  }

  /** Bytes that are in memory for frames and headers that are not whole. */
  get heldBytes(): number {
    return this.#reader.heldBytes + this.#block.heldBytes;
  }

  /** The number of the incomplete header block; 0 where all are complete. */
  get openBlock(): number {
    return this.#block.isOpen ? this.#blocks : 0;
  }

  /** Throws an `Http2Error` where the other end breaks the protocol. */
  read(chunk: Buffer): void {
    if (!this.#isStopped) this.#reader.read(chunk, this.#take);
  }

  /** Ignores all further frames, also those that were received already. */
  stop(): void {
    this.#isStopped = true;
  }

  #onFrame(frame: Frame): boolean {
    if (!this.#isGreeted) this.#onFirst(frame);
    if (this.#block.isOpen) this.#onContinuation(frame);
    else if (frame.stream === 0) this.#onConnectionFrame(frame);
    else this.#onStreamFrame(frame);
    return !this.#isStopped;
  }

  /** Either end begins with its settings. */
  #onFirst({ type, stream, flags }: Frame): void {
    if (type !== frameType.settings || stream !== 0 || (flags & flag.ack) !== 0) throw protocolError();
    this.#isGreeted = true;
  }

  #onConnectionFrame({ type, flags, payload }: Frame): void {
    const listener = this.#listener;
    const isAck = (flags & flag.ack) !== 0;
    if (type === frameType.windowUpdate) this.#onConnectionWindow(incrementOf(payload));
    else if (type === frameType.settings) this.#onSettings(isAck, payload);
    else if (type === frameType.ping) {
      if (payload.length !== 8) throw new Http2Error(errorCodes.frameSize);
      listener.onPing(payload, isAck);
    } else if (type === frameType.goaway) {
      if (payload.length < 8) throw new Http2Error(errorCodes.frameSize);
      listener.onGoaway(payload.readUInt32BE(0) & 0x7fff_ffff);
    } else if (type <= frameType.continuation) throw protocolError();
    else listener.onIgnored();
  }

  #onStreamFrame(frame: Frame): void {
    const { type, flags, stream, payload } = frame;
    const listener = this.#listener;
    if (type === frameType.headers) this.#onHeaders(frame);
    else if (type === frameType.data)
      listener.onData(stream, withoutPadding(frame), payload.length, (flags & flag.endStream) !== 0);
    else if (type === frameType.windowUpdate) listener.onWindow(stream, incrementOf(payload));
    else if (type === frameType.reset) listener.onReset(stream, wordOf(payload));
    else if (type === frameType.priority) {
      if (payload.length !== priorityBytes) throw new Http2Error(errorCodes.frameSize);
      listener.onIgnored();
    } else if (type <= frameType.continuation) throw protocolError();
    else listener.onIgnored();
  }

  #onHeaders(frame: Frame): void {
    const part = fieldsIn(frame);
    const isLast = (frame.flags & flag.endStream) !== 0;
    if ((frame.flags & flag.endHeaders) !== 0) this.#listener.onHeaders(frame.stream, part, isLast);
    else {
      this.#blocks++;
      this.#block.begin(frame.stream, part, isLast);
    }
  }

  /** Nothing else may come between the parts of a block. */
  #onContinuation({ type, flags, stream, payload }: Frame): void {
    const block = this.#block;
    if (type !== frameType.continuation || stream !== block.stream) throw protocolError();
    block.add(payload);
    if ((flags & flag.endHeaders) !== 0) this.#listener.onHeaders(stream, block.take(), block.isLast);
  }

  #onConnectionWindow(bytes: number): void {
    if (bytes === 0) throw protocolError();
    this.#listener.onWindow(0, bytes);
  }

  #onSettings(isAck: boolean, payload: Buffer): void {
    if (payload.length % 6 !== 0 || (isAck && payload.length > 0)) throw new Http2Error(errorCodes.frameSize);
    for (let at = 0; at < payload.length; at += 6) {
      const id = payload.readUInt16BE(at);
      const value = payload.readUInt32BE(at + 2);
      checkSetting(id, value);
      this.#listener.onSetting(id, value);
    }
    this.#listener.onSettings(isAck);
  }
}

function checkSetting(id: number, value: number): void {
  if (id === setting.initialWindow && value > maxWindow) throw new Http2Error(errorCodes.flowControl);
  if (id === setting.enablePush && value > 1) throw protocolError();
  if (id === setting.maxFrame && (value < maxFrameBytes || value > maxFrameSetting)) throw protocolError();
}

const protocolError = (): Error => new Http2Error(errorCodes.protocol);
