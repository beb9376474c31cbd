// Owns every child process and temporary folder of a run: all are gone at its end, however it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const STOP_MS = 15_000;
const TAIL = 4000;

export class Scope {
  #children = new Set();
  #closers = [];
  isClosing = false;
  #folder = mkdtempSync(join(tmpdir(), 'keelson-bench-'));

  constructor() {
    process.once('exit', () => this.#abandon());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => this.#interrupt(signal));
  }

  get path() {
    return this.#folder;
  }

  /** Runs before the children are asked to end. */
  defer(close) {
    this.#closers.push(close);
  }

  folder(name) {
    return mkdtempSync(join(this.#folder, `${name}-`));
  }

  /** Starts a child whose last output is kept in `child.tail`, for the message when it fails. */
  spawn(command, args, options = {}) {
    if (this.isClosing) throw new Error('the run is over');
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    this.#children.add(child);
    child.tail = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        child.tail = (child.tail + text).slice(-TAIL);
      });
    child.on('error', (error) => {
      child.tail += error.message;
    });
    child.once('close', () => this.#children.delete(child));
    return child;
  }

  /** Asks a child to end, insists after a while, and returns how it ended: an exit code or a signal's name. */
  async stop(child) {
    if (this.#children.has(child)) {
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      const insist = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await closed;
      clearTimeout(insist);
    }
    return child.exitCode ?? child.signalCode;
  }

  async close() {
    this.isClosing = true;
    for (const close of this.#closers.splice(0)) close();
    await Promise.all([...this.#children].map((child) => this.stop(child)));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #interrupt(signal) {
    await this.close();
    process.exit(128 + constants.signals[signal]);
  }

  /** The last resort, when nothing can be awaited any more. */
  #abandon() {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
