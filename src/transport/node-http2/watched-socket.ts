// The socket of a connection as Node's HTTP/2 gets it: every frame is seen on its way, in both directions, so that the limits of the
// server hold for frames that Node reports to no one.

import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { preface } from '../../http2/frame.ts';
import { type FrameHead, FrameHeads } from './frame-heads.ts';

export interface FrameWatcher {
  onFrameReceived(head: FrameHead): void;
  onFrameSent(head: FrameHead): void;
  /** All that has come was given to Node. */
  onRead(): void;
  /** False where nothing more may reach Node. */
  readonly isOpen: boolean;
}

/** A client that does not read its answers is not read beyond this many bytes until it does. */
const maxUnread = 1024 * 1024;
/** How long a client may take to close its end. */
const lingerMs = 1000;

const nothing = Buffer.alloc(0);

type Done = (error?: Error | null) => void;

export class WatchedSocket extends Duplex {
  readonly #socket: TLSSocket;
  readonly #received: FrameHeads;
  readonly #sent: FrameHeads;
  #isEnding = false;
  /** Nothing is read until `release`. */
  isHeld = false;

  constructor(socket: TLSSocket, watcher: FrameWatcher) {
    super({ emitClose: true });
    this.#socket = socket;
    this.#received = new FrameHeads((head) => watcher.onFrameReceived(head), preface.length);
    this.#sent = new FrameHeads((head) => watcher.onFrameSent(head));
    socket.on('data', (chunk: Buffer) => {
      if (!this.destroyed) this.#received.read(chunk);
      if (watcher.isOpen && !this.destroyed) this.#pass(chunk);
      watcher.onRead();
    });
    socket.on('close', () => this.destroy());
  }

  hold(): void {
    this.isHeld = true;
    this.#socket.pause();
  }

  release(): void {
    this.isHeld = false;
    this.#resume();
  }

  /** Ends the connection with the last bytes for the client. What Node writes behind them is not sent. */
  endWith(bytes: Uint8Array): void {
    if (this.#isEnding) return;
    this.#end(bytes);
    this.destroy();
  }

  override _read(): void {
    this.#resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    if (this.#isEnding) {
      done();
      return;
    }
    this.#sent.read(chunk);
    this.#socket.write(chunk, () => this.#written(done));
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: Done): void {
    const bytes = Buffer.concat(chunks.map(({ chunk }) => chunk));
    this._write(bytes, '', done);
  }

  override _final(done: Done): void {
    this.#end();
    done();
  }

  /** Pending writes are still sent. */
  override _destroy(_error: Error | null, done: Done): void {
    this.#end();
    done();
  }

  #end(bytes: Uint8Array = nothing): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#socket.end(bytes);
    // a client that keeps its end open is not waited for
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  #resume(): void {
    if (!this.isHeld && this.#socket.writableLength <= maxUnread) this.#socket.resume();
  }

  #pass(chunk: Buffer): void {
    const takesMore = this.push(chunk);
    if (!takesMore || this.#socket.writableLength > maxUnread) this.#socket.pause();
  }

  /** An error of the socket closes it: Node is notified of that alone. */
  #written(done: Done): void {
    done();
    if (!this.isPaused()) this.#resume();
  }
}
