// Gives the listening socket of this process to a thread of it. Node passes sockets between processes only, so this code goes
// through the same means: a pipe that carries descriptors. It uses internals of Node, and runs in the command only;
// programs that embed the server bind the port once for each thread (SO_REUSEPORT).

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
  readStop(): void;
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

/** Why no socket can be given to a thread here; undefined where one can. */
export function socketProblem(): string | undefined {
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

interface SocketOffer {
  /** Where `takeSocket` gets it, once. */
  readonly path: string;
  close(): void;
}

/** Offers a listening socket to one thread, in a folder that only this user can enter. */
export async function offerSocket(listening: Server): Promise<SocketOffer> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-socket-'));
  const path = join(folder, 'socket');
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    server.close();
    try {
      giveSocket(connection, listening);
    } catch {
      // the server stops: the thread has nothing to listen on
      connection.destroy();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  return {
    path,
    close() {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function giveSocket(connection: Socket, listening: Server): void {
  const { Pipe, constants } = binding('pipe_wrap') as PipeBinding;
  const { WriteWrap } = binding('stream_wrap') as StreamBinding;
  const pipe = new Pipe(constants.IPC);
  pipe.open(descriptorOf(connection).fd);
  pipe.unref();
  const request = new WriteWrap();
  request.handle = pipe;
  // the connection owns the descriptor, which the pipe only borrows
  request.oncomplete = () => connection.destroy();
  const code = pipe.writeUtf8String(request, '.', descriptorOf(listening));
  if (code !== 0) connection.destroy();
}

/** In the thread: a handle that `Server.listen` takes. */
export function takeSocket(path: string): Promise<{ readonly _handle: object }> {
  const { Pipe, PipeConnectWrap, constants } = binding('pipe_wrap') as PipeBinding;
  return new Promise((resolve, reject) => {
    const pipe = new Pipe(constants.IPC);
    const finish = (handle: object | null) => {
      pipe.readStop();
      pipe.close();
      if (handle === null) reject(new Error('the listening socket did not arrive'));
      else resolve({ _handle: handle });
    };
    pipe.pendingHandle = null;
    pipe.onread = () => finish(pipe.pendingHandle);
    const request = new PipeConnectWrap();
    request.oncomplete = (status) => (status === 0 ? pipe.readStart() : finish(null));
    if (pipe.connect(request, path) !== 0) finish(null);
  });
}

function descriptorOf(of: Server | Socket): { readonly fd: number } {
  const { _handle: handle } = of as unknown as Handled;
  if (handle === null) throw new Error('the socket is closed');
  return handle;
}
