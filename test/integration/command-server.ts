// The command as a child process: started, with sockets where a test plays systemd, and ended by signals.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');

export interface CommandSetup {
  readonly folder: string;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  /** Descriptors from 3 on. */
  readonly descriptors?: readonly number[];
}

export interface Identity {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export class CommandServer implements AsyncDisposable {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #output = '';
  #errors = '';

  constructor({ folder, args = [], env = {}, descriptors = [] }: CommandSetup) {
    this.#folder = folder;
    // the shell knows the process id that the command will have, as systemd does
    const script = 'if [ "$LISTEN_PID" = self ]; then LISTEN_PID=$$; export LISTEN_PID; fi; exec "$@"';
    const words = ['-c', script, 'sh', process.execPath, bin, '--data-dir', folder, ...args];
    const stdio = ['ignore', 'pipe', 'pipe', ...descriptors] as const;
    this.#child = spawn('sh', words, { stdio: [...stdio], env: { ...process.env, ...env } });
    this.#ended = once(this.#child, 'close').then(([code]) => code as number | null);
    this.#child.stderr?.on('data', (part: Buffer) => {
      this.#errors += String(part);
    });
  }

  /** Resolves when the server is ready; throws where it ends before. */
  static async start(setup: CommandSetup): Promise<CommandServer> {
    const server = new CommandServer(setup);
    const ready = new Promise<void>((resolve) => {
      server.#child.stdout?.on('data', (part: Buffer) => {
        server.#output += String(part);
        if (server.#output.includes('get namespaces')) resolve();
      });
    });
    const failed = server.#ended.then((code) => {
      throw new Error(`the server ended with ${code}: ${server.#errors}`);
    });
    await Promise.race([ready, failed]);
    return server;
  }

  get url(): string {
    return /https:\/\/\S+/.exec(this.#output)?.[0] as string;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get identity(): Identity {
    const file = (name: string) => readFileSync(join(this.#folder, 'pki', name));
    return { ca: file('ca.crt'), cert: file('admin.crt'), key: file('admin.key') };
  }

  /** Whether its controllers run, by its log with `--v=1`. */
  get leads(): boolean {
    return (
      this.#errors.lastIndexOf('the controllers run here') > this.#errors.lastIndexOf('the controllers run elsewhere')
    );
  }

  get errors(): string {
    return this.#errors;
  }

  /** Resolves with the exit code, null after a kill. */
  get ended(): Promise<number | null> {
    return this.#ended;
  }

  connect(): ClientHttp2Session {
    return connect(this.url, this.identity).on('error', () => {});
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
