// A server that follows manifests while they are written, and prints the requests that it gets.

import { styleText } from 'node:util';
import type { ServerOptions } from '../../config/options.ts';
import type { Exchange } from '../../meta/exchange.ts';
import { LocalServer } from '../manifests/local-server.ts';
import { ManifestFollower } from '../manifests/manifest-follower.ts';
import type { SyncResult } from '../manifests/manifest-sync.ts';

interface DevOptions {
  readonly paths: readonly string[];
  readonly recursive: boolean;
  readonly server: ServerOptions;
  readonly hasColours: boolean;
  print(line: string): void;
  /** After each time that the manifests were applied. */
  onSync?(result: SyncResult): void;
}

type Colour = Parameters<typeof styleText>[0];

export class DevSession {
  readonly #options: DevOptions;
  readonly #server: LocalServer;
  readonly #follower: ManifestFollower;
  readonly #restore: () => Promise<void>;

  private constructor(options: DevOptions, server: LocalServer) {
    this.#options = options;
    this.#server = server;
    const { paths, recursive } = options;
    this.#follower = new ManifestFollower(server, {
      ...{ paths, recursive, fieldManager: 'keelson-dev', prunes: true },
      onSync: (result) => this.#report(result),
      onError: (message) => options.print(this.#styled('red', message)),
    });
    this.#restore = server.checkpoint();
  }

  static async start(options: DevOptions): Promise<DevSession> {
    const requests = new RequestLines(options);
    const interceptor = {
      before: () => undefined,
      after: <T extends { readonly status: number }>(exchange: Exchange, response: T) => {
        requests.print(exchange, response.status);
        return response;
      },
    };
    const server = await LocalServer.listen(options.server, { interceptor });
    await server.settled();
    const session = new DevSession(options, server);
    await session.#follower.start();
    return session;
  }

  get url(): string {
    return this.#server.url;
  }

  get kubeconfig(): string {
    return this.#server.kubeconfig;
  }

  /** Back to the objects of the manifests alone. */
  reset(): Promise<void> {
    return this.#follower.reapplyAfter(async () => {
      await this.#restore();
      this.#options.print(this.#styled('bold', 'reset'));
    });
  }

  /** A link to sign in to the web console, which works once; undefined where the console is off. */
  consoleLink(): string | undefined {
    return this.#server.signInLink();
  }

  async close(): Promise<void> {
    await this.#follower.close();
    await this.#server.close();
  }

  #report(result: SyncResult): void {
    const { created, changed, deleted, problems } = result;
    const { print } = this.#options;
    for (const title of created) print(this.#styled('green', `created ${title}`));
    for (const title of changed) print(this.#styled('yellow', `changed ${title}`));
    for (const title of deleted) print(this.#styled('red', `deleted ${title}`));
    for (const problem of problems) print(this.#styled('red', `problem ${problem}`));
    this.#options.onSync?.(result);
  }

  #styled(colour: Colour, text: string): string {
    return this.#options.hasColours ? styleText(colour, text) : text;
  }
}

/** A line for each request of a client. */
class RequestLines {
  readonly #options: DevOptions;

  constructor(options: DevOptions) {
    this.#options = options;
  }

  print({ request, startedAt, user, info }: Exchange, status: number): void {
    const { address } = request.peer;
    if (address === 'loopback' || address === 'in-process') return;
    const ms = Math.max(0, Date.now() - startedAt);
    const path = request.rawQuery === '' ? request.path : `${request.path}?${request.rawQuery}`;
    const head = `${String(status)} ${info.verb.padEnd(6)}`;
    const line = `${printable(path).slice(0, maxPathLength)} ${ms} ms ${printable(user.name)}`;
    this.#options.print(`${this.#options.hasColours ? styleText(colourOf(status), head) : head} ${line}`);
  }
}

const maxPathLength = 200;

const colourOf = (status: number): Colour =>
  status < 300 ? 'green' : status < 400 ? 'cyan' : status < 500 ? 'yellow' : 'red';

/** What a client sent does not control the terminal. */
const printable = (text: string) => text.replace(/\p{Cc}/gu, '?');
