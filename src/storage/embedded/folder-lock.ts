// One server per data folder. The server that holds the folder listens on a socket in it: the kernel closes that socket when
// the process ends, however it ends, and it is found by its path, so containers that share the folder see each other.

import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FolderLockedError } from './folder-locked-error.ts';

interface FolderLock {
  release(): Promise<void>;
}

/** Two that start at the same moment may both step back; then both try again, at different times. */
const attempts = 5;
const maxPauseMs = 100;
/** The kernel accepts connections for a busy process; the process itself may take longer to send its name. */
const introductionMs = 500;
/** Longer paths do not fit into a socket address. */
const maxAddress = 100;

/** The name of a process that does not know yet whether it has the folder. */
const undecided = 'another Keelson that is starting';

const socketName = /^lock-[0-9a-f]+\.sock$/;

/** Throws `FolderLockedError` when another live process holds the folder. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return lockByPipe(folder);
  for (let attempt = 1; ; attempt++) {
    const { lock, holder = '' } = await tryLock(folder);
    if (lock !== undefined) return lock;
    if (holder !== undecided || attempt === attempts)
      throw new FolderLockedError(`data folder ${folder} is in use by ${holder}`);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * maxPauseMs));
  }
}

/** Whether a live process holds the folder. */
export async function isHeld(folder: string): Promise<boolean> {
  if (process.platform === 'win32') return (await askHolder(pipeOf(folder))) !== undefined;
  const directory = openSync(folder, 'r');
  try {
    for (const name of readdirSync(folder).filter((one) => socketName.test(one)))
      if ((await askHolder(addressOf(folder, directory, name))) !== undefined) return true;
    return false;
  } finally {
    closeSync(directory);
  }
}

type Attempt =
  | { readonly lock: FolderLock; readonly holder?: undefined }
  | { readonly lock?: undefined; readonly holder: string };

/**
 * Listens first and looks around afterwards: of two that do so, the one that looks last sees the other. What
 * no process listens on any more is left over from a process that has exited.
 */
async function tryLock(folder: string): Promise<Attempt> {
  const directory = openSync(folder, 'r');
  try {
    const address = (name: string) => addressOf(folder, directory, name);
    const own = `lock-${randomBytes(6).toString('hex')}.sock`;
    const self = { name: undecided };
    const server = await listen(address(own), self);
    const release = () => stop(server, join(folder, own));
    for (const name of readdirSync(folder)) {
      if (!socketName.test(name) || name === own) continue;
      const holder = await askHolder(address(name));
      if (holder !== undefined) {
        await release();
        return { holder };
      }
      rmSync(join(folder, name), { force: true });
    }
    self.name = selfName();
    return { lock: { release } };
  } finally {
    closeSync(directory);
  }
}

function addressOf(folder: string, directory: number, name: string): string {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= maxAddress || process.platform !== 'linux') return path;
  return `/proc/self/fd/${directory}/${name}`;
}

/** Named pipes end with their process, too; their names are global on the machine, so they contain the folder's name. */
async function lockByPipe(folder: string): Promise<FolderLock> {
  const pipe = pipeOf(folder);
  try {
    const server = await listen(pipe, { name: selfName() });
    return { release: () => stop(server) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const holder = (await askHolder(pipe)) ?? 'another process';
    throw new FolderLockedError(`data folder ${folder} is in use by ${holder}`);
  }
}

function pipeOf(folder: string): string {
  const id = createHash('sha256').update(realpathSync(folder).toLowerCase()).digest('hex').slice(0, 32);
  return `\\\\.\\pipe\\keelson-${id}`;
}

const selfName = () => `another Keelson (process ${process.pid} on ${hostname()})`;

/** Sends the current name of `self` to every process that connects. */
function listen(address: string, self: { name: string }): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(self.name);
      socket.unref();
    });
    server.once('error', reject);
    server.listen(address, () => resolve(server));
    server.unref();
  });
}

async function stop(server: Server, path?: string): Promise<void> {
  // the loop may end while this is awaited if nothing else holds it
  server.ref();
  await new Promise((resolve) => server.close(resolve));
  if (path !== undefined) rmSync(path, { force: true });
}

/** The process that listens there; undefined when none does. */
function askHolder(address: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let connected = false;
    let name = '';
    const socket: Socket = createConnection(address);
    const finish = () => {
      socket.destroy();
      resolve(connected ? name.slice(0, 200) || 'another process' : undefined);
    };
    socket.setEncoding('utf8');
    socket.on('connect', () => {
      connected = true;
      // not before: in a process that was busy for longer, the limit would pass before it sees that it is connected
      socket.setTimeout(introductionMs, finish);
    });
    socket.on('data', (text: string) => {
      name += text;
    });
    socket.on('end', finish);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (connected || isFree(error)) finish();
      else reject(error);
    });
  });
}

const isFree = ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED' || code === 'ENOENT';
