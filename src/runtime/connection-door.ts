// Passes connections from the thread that accepts them to other threads of this process. Node passes sockets between processes
// only, so this code goes through the same means: a pipe that carries descriptors. It uses internals of Node, and runs in the
// command only; programs that embed the server bind the port once for each thread (SO_REUSEPORT).

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPlainRuntime } from './plain-runtime.ts';

/** A handle of Node that is no longer than this module needs it to be. */
interface Pipe {
  pendingHandle: object | null;
  onread: () => void;
  open(descriptor: number): number;
  connect(request: object, path: string): number;
  writeUtf8String(request: object, text: string, handle: object): number;
  readStart(): void;
  unref(): void;
  close(): void;
}

interface PipeBinding {
  readonly Pipe: new (type: number) => Pipe;
  readonly PipeConnectWrap: new () => { oncomplete: (status: number) => void };
  readonly constants: { readonly IPC: number };
}

interface StreamBinding {
  readonly WriteWrap: new () => { handle: Pipe; oncomplete: (status: number) => void };
}

/** Anything with a handle of Node. */
interface Handled {
  readonly _handle: { readonly fd: number } | null;
}

const binding = (name: string): unknown => (process as unknown as { binding(name: string): unknown }).binding(name);

/** Why no connection can be passed to a thread here; undefined where they can. */
export function doorProblem(): string | undefined {
  if (isPlainRuntime) return 'with --plain-runtime threads do not share a port';
  const problem = 'threads cannot share a port on this system';
  if (process.platform === 'win32') return problem;
  try {
    const { Pipe, PipeConnectWrap } = binding('pipe_wrap') as PipeBinding;
    return typeof Pipe === 'function' && typeof PipeConnectWrap === 'function' ? undefined : problem;
  } catch {
    return problem;
  }
}

/** The end of the thread that accepts connections. They are passed one after the other. */
export class ConnectionDoor {
  /** Where the thread connects, once: in a folder that only this user can enter. */
  readonly path: string;
  /** The number of connections that the thread has, which it counts down. */
  readonly memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #count = new Int32Array(this.memory);
  readonly #folder: string;
  readonly #server: Server;
  #connection: Socket | undefined;
  #pipe: Pipe | undefined;
  /** The first one is on its way. */
  #queue: Socket[] = [];
  #isClosed = false;
  #onEmpty: (() => void) | undefined;

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'keelson-socket-'));
    this.path = join(this.#folder, 'socket');
    this.#server = createServer({ pauseOnConnect: true }, (connection) => this.#connected(connection));
  }

  static async open(): Promise<ConnectionDoor> {
    const door = new ConnectionDoor();
    await new Promise<void>((resolve, reject) => {
      door.#server.once('error', reject).listen(door.path, resolve);
    });
    door.#server.unref();
    return door;
  }

  /** How many connections the thread serves. */
  get connections(): number {
    return Atomics.load(this.#count, 0);
  }

  /** Passes on a connection from which nothing was read. */
  give(socket: Socket): void {
    Atomics.add(this.#count, 0, 1);
    this.#queue.push(socket);
    // a client that leaves meanwhile leaves the other thread
    socket.on('error', () => {});
    if (this.#queue.length === 1) this.#send();
  }

  /** The thread has the connection that was on its way. */
  taken(): void {
    this.#queue.shift()?.destroy();
    if (this.#queue.length > 0) this.#send();
    else this.#onEmpty?.();
  }

  /** Resolves when the thread has every connection that was given. */
  async emptied(): Promise<void> {
    if (this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#closeServer();
    this.#pipe = undefined;
    // it owns the descriptor, which the pipe only borrows
    this.#connection?.destroy();
    for (const socket of this.#queue) socket.destroy();
    this.#queue = [];
    this.#onEmpty?.();
  }

  #closeServer(): void {
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #connected(connection: Socket): void {
    this.#closeServer();
    const { Pipe, constants } = binding('pipe_wrap') as PipeBinding;
    const pipe = new Pipe(constants.IPC);
    pipe.open(handleOf(connection)?.fd ?? -1);
    pipe.unref();
    connection.unref();
    this.#connection = connection;
    this.#pipe = pipe;
    if (this.#queue.length > 0) this.#send();
  }

  #send(): void {
    const [socket] = this.#queue;
    if (this.#pipe === undefined || socket === undefined) return;
    const handle = handleOf(socket);
    const { WriteWrap } = binding('stream_wrap') as StreamBinding;
    const request = new WriteWrap();
    request.handle = this.#pipe;
    // the end of the thread is noticed elsewhere
    request.oncomplete = () => {};
    if (handle !== null && this.#pipe.writeUtf8String(request, '.', handle) === 0) return;
    Atomics.sub(this.#count, 0, 1);
    this.taken();
  }
}

/** In the thread that serves: calls `take` with the handle of each connection. Resolves when connections can come. */
export function takeConnections(path: string, take: (handle: object) => void): Promise<void> {
  const { Pipe, PipeConnectWrap, constants } = binding('pipe_wrap') as PipeBinding;
  return new Promise((resolve, reject) => {
    const pipe = new Pipe(constants.IPC);
    pipe.pendingHandle = null;
    pipe.onread = () => {
      const handle = pipe.pendingHandle;
      pipe.pendingHandle = null;
      // without one, the other end was closed
      if (handle === null) pipe.close();
      else take(handle);
    };
    const request = new PipeConnectWrap();
    request.oncomplete = (status) => {
      if (status !== 0) {
        pipe.close();
        reject(new Error('the main thread passes no connections'));
        return;
      }
      pipe.readStart();
      pipe.unref();
      resolve();
    };
    if (pipe.connect(request, path) !== 0) reject(new Error('the main thread cannot be reached'));
  });
}

const handleOf = (of: Socket) => (of as unknown as Handled)._handle;
