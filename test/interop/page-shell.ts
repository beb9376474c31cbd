// A shell that runs the commands of a page one after the other, with this checkout as the package that is installed.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../integration/eventually.ts';
import { etcd, kubectl, programOf } from './peers.ts';
import { TempFolder } from './temp-folder.ts';

const root = join(import.meta.dirname, '../..');

export interface ShellOutcome {
  readonly code: number;
  readonly output: string;
}

export class PageShell implements AsyncDisposable {
  readonly #folder = new TempFolder();
  readonly #bash: ChildProcessWithoutNullStreams;
  #printed = '';
  #started = 0;

  /** The port stands for that of etcd in the commands of a page. */
  constructor(etcdPort: number) {
    const bin = this.#installPrograms(etcdPort);
    this.#bash = spawn('bash', ['--noprofile', '--norc'], {
      cwd: this.#folder.path,
      detached: true,
      env: {
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
        HOME: this.#folder.path,
        TMPDIR: this.#folder.path,
        LANG: 'C.UTF-8',
      },
    });
    this.#bash.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#printed += text;
    });
    this.#bash.stdin.write('exec 2>&1\n');
  }

  write(name: string, text: string): void {
    mkdirSync(join(this.#folder.path, name, '..'), { recursive: true });
    writeFileSync(join(this.#folder.path, name), text);
  }

  async run(script: string): Promise<ShellOutcome> {
    this.#printed = '';
    this.write('.commands', script);
    this.#bash.stdin.write("source .commands </dev/null; printf '\\n@@%s@@' $?\n");
    const end = /\n@@(\d+)@@$/;
    while (!end.test(this.#printed)) {
      if (this.#bash.exitCode !== null) throw new Error(`the shell ended: ${this.#printed}`);
      await once(this.#bash.stdout, 'data');
    }
    return { code: Number(end.exec(this.#printed)?.[1]), output: this.#printed.replace(end, '') };
  }

  /** Starts what goes on until the end of the page, and gives a way to read what it printed. */
  async start(script: string): Promise<() => string> {
    const log = `background-${++this.#started}.log`;
    await this.run(`{ ${script.trim()}\n} >${log} 2>&1 </dev/null &`);
    return () => readFileSync(join(this.#folder.path, log), 'utf8');
  }

  /** The same for a server, which says when it is ready. */
  async startServer(script: string): Promise<void> {
    const printed = await this.start(script);
    await eventually(async () => {
      if (!/is ready|ready to serve client requests/.test(printed())) throw new Error(printed());
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#bash, 'close');
    try {
      process.kill(-(this.#bash.pid as number), 'SIGKILL');
    } catch {
      // it ended by itself
    }
    await ended;
    this.#folder[Symbol.dispose]();
  }

  /** `npx keelson` and `keelson` are this checkout; servers take free ports. */
  #installPrograms(etcdPort: number): string {
    const bin = join(this.#folder.path, '.bin');
    mkdirSync(bin);
    mkdirSync(join(this.#folder.path, 'node_modules'));
    symlinkSync(root, join(this.#folder.path, 'node_modules/keelson'));
    const keelson = `exec '${process.execPath}' '${join(root, 'bin/keelson.cjs')}'`;
    const own = `--secure-port=0 $(case "$*" in *:2379*) echo --etcd-servers=http://127.0.0.1:${etcdPort} ;; esac)`;
    script(bin, 'keelson', `[ "$1" = serve ] && ${keelson} "$@" ${own}\n${keelson} "$@"`);
    script(bin, 'npx', `[ "$1" = keelson ] && shift && exec '${join(bin, 'keelson')}' "$@"\nexit 127`);
    script(bin, 'kubectl', `exec '${programOf(kubectl)}' "$@"`);
    const client = `http://127.0.0.1:${etcdPort}`;
    const urls = `--listen-client-urls ${client} --advertise-client-urls ${client} --listen-peer-urls http://127.0.0.1:0`;
    script(bin, 'etcd', `exec '${programOf(etcd)}' "$@" ${urls}`);
    return bin;
  }
}

function script(bin: string, name: string, body: string): void {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}
