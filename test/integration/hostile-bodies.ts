// A server in another process, a client that sends it one hostile request, and another client, with a connection and a
// thread of its own, that asks /livez all the time: how long did that one have to wait?

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** What a wait may last on a busy machine. */
export const maxWaitMs = 150;
/** A stall is there each time; that the machine had something else to do is not. */
const attempts = 6;

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');

export interface HostileRequest {
  readonly method?: string;
  readonly path: string;
  /** The content type. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface HostileAnswer {
  readonly status: number;
  readonly body: string;
}

export interface Measured extends HostileAnswer {
  /**
   * How long the other client waited for its slowest answer, in milliseconds; where the machine tells, without the time
   * in which it let the server or that client stand in line for a processor, and no longer than the server had one.
   */
  readonly longestWaitMs: number;
}

export interface HostileServer {
  readonly url: string;
  /** Throws when the connection breaks before the answer is complete. */
  call(request: HostileRequest): Promise<HostileAnswer>;
  /** The same, while the other client asks. */
  alongside(request: HostileRequest): Promise<Measured>;
  /** The longest wait of the other client, in milliseconds, from the beginning of the work to its end. */
  longestWaitDuring(work: () => Promise<void>): Promise<number>;
  /** The best of a few attempts, until one is good: only what the server does each time counts. */
  bestBeside(make: (attempt: number) => HostileRequest): Promise<Measured>;
  close(): Promise<void>;
}

/** Starts the built command with one thread, whose processor time is measured; its caller is an administrator. */
export async function startHostileServer(...flags: string[]): Promise<HostileServer> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-hostile-'));
  const child = spawn(process.execPath, [bin, '--data-dir', folder, '--secure-port=0', '--threads=1', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressOf(child);
  const pki = (file: string) => readFileSync(join(folder, 'pki', file), 'utf8');
  const target = { url, ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') };
  // as many warnings as there may be
  const session = connect(url, { ...target, maxHeaderListPairs: 4096 });
  session.on('error', () => {});
  const asker = await startAsker({ ...target, pid: child.pid });

  const call = (request: HostileRequest) => send(session, request);
  const longestWaitDuring = async (work: () => Promise<void>): Promise<number> => {
    await asker.ask('begin');
    try {
      await work();
    } catch (error) {
      await asker.ask('end');
      throw error;
    }
    return asker.ask('end');
  };
  const alongside = async (request: HostileRequest): Promise<Measured> => {
    await asker.ask('begin');
    const answer = await call(request);
    return { ...answer, longestWaitMs: await asker.ask('end') };
  };
  return {
    url,
    call,
    alongside,
    longestWaitDuring,
    async bestBeside(make) {
      let best: Measured | undefined;
      for (let attempt = 0; attempt < attempts && !(best && best.longestWaitMs <= maxWaitMs); attempt++) {
        const found = await alongside(make(attempt));
        if (best === undefined || found.longestWaitMs < best.longestWaitMs) best = found;
      }
      return best as Measured;
    },
    async close() {
      await asker.close();
      session.destroy();
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)));
    child.stdout?.on('data', (part: Buffer) => {
      output += String(part);
      if (output.includes('get namespaces')) resolve();
    });
  });
  return /https:\/\/\S+/.exec(output)?.[0] as string;
}

function send(session: ClientHttp2Session, request: HostileRequest): Promise<HostileAnswer> {
  const { method = 'POST', path, type = 'application/json', headers = {}, body } = request;
  return new Promise((resolve, reject) => {
    const sent = { ...headers, ':method': method, ':path': path, 'content-type': type };
    const stream = session.request(sent, { endStream: body === undefined });
    let status = 0;
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (found) => {
      status = Number(found[':status']);
    });
    stream.on('data', (part: string) => {
      text += part;
    });
    stream.on('error', reject);
    stream.on('close', () => (status === 0 ? reject(new Error('no answer')) : resolve({ status, body: text })));
    if (body !== undefined) stream.end(body);
  });
}

interface Asker {
  /** Resolves when the other client has begun; with the longest wait when it has its last answer. */
  ask(what: 'begin' | 'end'): Promise<number>;
  close(): Promise<void>;
}

/** In a thread: what the test itself does must not look like a wait. */
const askerSource = `
const { readFileSync } = require('node:fs');
const { connect } = require('node:http2');
const { once } = require('node:events');
const { parentPort, workerData } = require('node:worker_threads');
const session = connect(workerData.url, workerData);
let asking = false;
let longest = 0;
let over = Promise.resolve();

const server = '/proc/' + workerData.pid + '/task/' + workerData.pid;

/** Milliseconds that a thread had a processor, and that it was ready to run and had none. */
function timesOf(thread) {
  try {
    const [ran, inLine] = readFileSync(thread + '/schedstat', 'latin1').split(' ');
    return { ran: Number(ran) / 1e6, inLine: Number(inLine) / 1e6 };
  } catch {
    return undefined;
  }
}

/** What of a wait was the server's doing: it did not stand in line meanwhile, and cannot have worked for longer than it had a processor. */
function ofServer(wait, server, serverBefore, own, ownBefore) {
  if (!server || !serverBefore || !own || !ownBefore) return wait;
  const inLine = server.inLine - serverBefore.inLine + (own.inLine - ownBefore.inLine);
  return Math.min(wait - inLine, server.ran - serverBefore.ran);
}

async function askOnce() {
  const [serverBefore, ownBefore] = [timesOf(server), timesOf('/proc/thread-self')];
  const began = performance.now();
  const stream = session.request({ ':path': '/livez' });
  stream.resume();
  await once(stream, 'close');
  const wait = performance.now() - began;
  longest = Math.max(longest, ofServer(wait, timesOf(server), serverBefore, timesOf('/proc/thread-self'), ownBefore));
}

async function askOnAndOn() {
  while (asking) {
    await askOnce();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

parentPort.on('message', async (what) => {
  if (what === 'begin') {
    await askOnce();
    longest = 0;
    asking = true;
    over = askOnAndOn();
  } else {
    asking = false;
    await over;
  }
  parentPort.postMessage(longest);
});
session.once('connect', () => parentPort.postMessage(0));
`;

async function startAsker(target: object): Promise<Asker> {
  const worker = new Worker(askerSource, { eval: true, workerData: target });
  await once(worker, 'message');
  return {
    async ask(what) {
      const answered = once(worker, 'message');
      worker.postMessage(what);
      const [longest] = (await answered) as [number];
      return longest;
    },
    async close() {
      await worker.terminate();
    },
  };
}
