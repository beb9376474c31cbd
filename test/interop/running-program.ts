// A client that runs next to a test, read while it prints.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Nothing a test waits for takes this long. */
const patienceMs = 60_000;

export class RunningProgram implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<number | null>;
  readonly #output = { stdout: '', stderr: '' };
  /** Emits `news` when something was printed, and at the end. */
  readonly #events = new EventEmitter();
  #hasEnded = false;

  constructor(program: string, args: readonly string[], options: ProgramOptions) {
    this.#child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const name of ['stdout', 'stderr'] as const) {
      this.#child[name].setEncoding('utf8').on('data', (text: string) => {
        this.#output[name] += text;
        this.#events.emit('news');
      });
    }
    this.#ended = this.#end();
    // the test that awaits the outcome gets the error; until then it must not end the process
    this.#ended.catch(() => {});
  }

  get stdout(): string {
    return this.#output.stdout;
  }

  /** Resolves as soon as what was printed so far matches. */
  printed(pattern: RegExp, stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (problem?: string) => {
        clearTimeout(timer);
        this.#events.off('news', look);
        if (problem === undefined) resolve();
        else reject(new Error(`${problem} ${pattern}: ${JSON.stringify(this.#output)}`));
      };
      const look = () => {
        if (pattern.test(this.#output[stream])) settle();
        else if (this.#hasEnded) settle('ended without');
      };
      const timer = setTimeout(() => settle('waited too long for'), patienceMs);
      this.#events.on('news', look);
      look();
    });
  }

  /** Resolves when the program ends by itself. */
  async outcome(): Promise<Outcome> {
    return { code: await this.#ended, ...this.#output };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#ended.catch(() => {});
  }

  async #end(): Promise<number | null> {
    try {
      const [code] = (await once(this.#child, 'close')) as [number | null];
      return code;
    } finally {
      this.#hasEnded = true;
      this.#events.emit('news');
    }
  }
}
