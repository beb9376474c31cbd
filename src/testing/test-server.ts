// Keelson inside the tests of other programs: real semantics, started quickly, removed when the test is over.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '../client/client.ts';
import { OptionError } from '../config/option-error.ts';
import { checkOptions } from '../config/option-types.ts';
import type { ServerOptions } from '../config/options.ts';
import type { Exchange } from '../meta/exchange.ts';
import { authenticatedGroup, mastersGroup, type UserInfo } from '../meta/user.ts';
import { createHookedServer } from '../server/create-server.ts';
import type { Server } from '../server/server.ts';
import type { ServerHooks, ServerParts, ThreadHooks } from '../server/start/server-hooks.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Checkpoint, Store } from '../storage/store.ts';
import type { InProcessFetch } from '../transport/in-process.ts';
import type { AdminPath } from './admin-path.ts';
import { WatchConnections } from './answer-faults.ts';
import { beginsAsUsual, bootstrapContent, keepBootstrapContent } from './bootstrap-content.ts';
import { BreakableStore } from './breakable-store.ts';
import { type EventuallyOptions, eventually } from './eventually.ts';
import { ExpiringTokens } from './expiring-tokens.ts';
import { RequestFaults } from './faults.ts';
import { fetchTransport } from './fetch-transport.ts';
import { checkGiven, text, textList } from './given-options.ts';
import { entryOf, Journal, SentObject } from './journal.ts';
import { LeftOpenNotice } from './left-open.ts';
import { applyAll, foundIn, type Manifest, readManifestFiles } from './manifests.ts';
import { ServerFaults } from './server-faults.ts';
import { StoreChanges } from './store-changes.ts';
import { TestClock } from './test-clock.ts';
import { type TypedClient, typedClient } from './typed-client.ts';

export interface TestServerOptions extends ServerOptions {
  /** Whether to open a port; with `false` only `fetch` and `client` work, which starts faster. */
  readonly listen?: boolean;
  /** Files, folders and objects that are there from the start: definitions, namespaces, roles, seeds. Their order does not matter. */
  readonly manifests?: readonly Manifest[];
  /**
   * Whether to wait until the server's own controllers have made what they make at the start, such as the default service
   * accounts; when not given, where there are manifests.
   */
  readonly settle?: boolean;
}

/** A user of a test server. */
export interface TestUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly client: TypedClient;
  /** Calls the server as this user, without a socket. */
  readonly fetch: InProcessFetch;
  /** A kubeconfig with a certificate of this user; throws where the server does not listen. */
  readonly kubeconfig: string;
  /** Path of a file with that kubeconfig, deleted with the server. */
  readonly kubeconfigFile: string;
  /** Applies objects as this user. */
  apply(manifest: Manifest): Promise<void>;
}

/** What a test server holds at one moment. */
export interface TestSnapshot {
  readonly checkpoint: Checkpoint;
}

export interface TestServer extends Server {
  /** A client of the administrator, typed for the built-in kinds. */
  readonly client: TypedClient;
  /** Path of a file with the kubeconfig of the administrator, deleted with the server. */
  readonly kubeconfigFile: string;
  /** Deliberate faults. */
  readonly faults: ServerFaults;
  /** The requests to the server, with their users. */
  readonly journal: Journal;
  /** The server's clock, unless the options gave one. */
  readonly clock: TestClock;
  /** Applies YAML, JSON or an object, and waits for objects that it needs. */
  apply(manifest: Manifest): Promise<void>;
  /** Acts as a user, whose rights are those that roles grant. */
  asUser(name: string, groups?: readonly string[]): TestUser;
  /** A link to sign in to the web console, which works once; undefined without `enableUi`. */
  signInLink(): string | undefined;
  /** Waits until `check` neither throws nor gives false. */
  eventually<T>(check: () => T | Promise<T>, options?: EventuallyOptions): Promise<Exclude<T, false>>;
  /** Remembers every object. */
  snapshot(): TestSnapshot;
  /**
   * Restores the objects of a snapshot, by default of the start; watchers see the changes. Faults are removed and the
   * journal is empty afterwards.
   */
  reset(snapshot?: TestSnapshot): Promise<void>;
}

const ownOptions = ['listen', 'manifests', 'settle'];

const administrator: UserInfo = { name: 'keelson-test', groups: [mastersGroup, authenticatedGroup] };

/** A server on the memory store and a free port by default. */
export function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const place: { stack?: string } = {};
  Error.captureStackTrace(place, startTestServer);
  const [, line = ''] = (place.stack ?? '').split('\n');
  return openTestServer(options, { startedAt: line.trim() });
}

interface TestServerParts {
  /** A path by which programs in other languages ask for what the kit can do. */
  readonly admin?: AdminPath;
  /** The line of the program that started the server; undefined where the server is the program. */
  readonly startedAt?: string;
  /** For options that threads can share: they are started, and follow the clock of the system. */
  readonly threads?: ThreadHooks;
}

export async function openTestServer(options: TestServerOptions, made: TestServerParts): Promise<TestServer> {
  const { listen = true, manifests = [], settle = manifests.length > 0, ...rest } = options;
  checkOptions(options, ownOptions);
  if (!Array.isArray(manifests)) throw new OptionError('manifests: a list of files, folders and objects is needed');
  const manifestFiles = await readManifestFiles(manifests);
  const parts = new TestParts(made);
  const { store = 'memory', clock = parts.clock } = rest;
  const clocks = made.threads === undefined ? { clock } : {};
  const isUsual = store === 'memory' && beginsAsUsual(options);
  const opened = isUsual ? openMemoryStore({ clock, content: bootstrapContent(clock) }) : store;
  const server = await createHookedServer({ shutdownGraceSeconds: 1, ...rest, ...clocks, store: opened }, parts);
  try {
    if (isUsual) keepBootstrapContent(server.store.checkpoint?.());
    if (listen) await server.listen();
    if (settle) await server.settled();
    const test = new RunningTestServer(server, parts);
    if (manifestFiles.length > 0) await test.applyFound(manifestFiles);
    if (settle) await server.settled();
    test.begin(settle);
    made.admin?.serves(test);
    return test;
  } catch (error) {
    parts.notice?.close();
    await server.close();
    throw error;
  }
}

/** What takes part in a server from its first moment. */
class TestParts implements ServerHooks {
  readonly #admin: AdminPath | undefined;
  readonly threads: ThreadHooks;
  readonly ownsProcess: boolean;
  readonly notice: LeftOpenNotice | undefined;
  readonly clock = new TestClock();
  readonly requests = new RequestFaults();
  readonly watches = new WatchConnections();
  readonly journal = new Journal();
  breakable: BreakableStore | undefined;
  issuedTokens: ExpiringTokens | undefined;

  constructor({ admin, startedAt, threads }: TestServerParts) {
    this.#admin = admin;
    this.threads = threads ?? {};
    this.ownsProcess = threads !== undefined;
    this.notice = startedAt === undefined ? undefined : new LeftOpenNotice(startedAt);
  }

  store(opened: Store): Store {
    this.breakable = new BreakableStore(opened);
    return this.breakable;
  }

  tokens(own: ConstructorParameters<typeof ExpiringTokens>[0]): ExpiringTokens {
    this.issuedTokens = new ExpiringTokens(own);
    return this.issuedTokens;
  }

  readonly interceptor: NonNullable<ServerHooks['interceptor']> = {
    before: (exchange) => {
      if (isOwn(exchange)) return undefined;
      if (this.#admin?.isFor(exchange)) return this.#admin.answer(exchange);
      exchange.audit = new SentObject(exchange.audit);
      return this.requests.before(exchange);
    },
    after: (exchange, response) => {
      if (isOwn(exchange) || this.#admin?.isFor(exchange)) return response;
      const sent = this.requests.after(exchange, response);
      this.journal.add(entryOf(exchange, sent));
      return this.watches.follow(exchange, sent);
    },
  };
}

/** The server's own calls to itself. */
const isOwn = ({ request: { peer } }: Exchange) => peer.address === 'loopback';

class RunningTestServer implements TestServer {
  readonly client: TypedClient;
  readonly faults: ServerFaults;
  readonly journal: Journal;
  readonly clock: TestClock;
  readonly fetch: InProcessFetch;
  readonly #server: Server & ServerParts;
  readonly #raw: Client;
  readonly #breakable: BreakableStore;
  readonly #notice: LeftOpenNotice | undefined;
  #start: TestSnapshot | undefined;
  #isSettled = false;
  #folder: string | undefined;
  #files = new Map<string, string>();

  constructor(server: Server & ServerParts, parts: TestParts) {
    this.#server = server;
    this.#breakable = parts.breakable as BreakableStore;
    this.#notice = parts.notice;
    this.fetch = server.fetch;
    this.journal = parts.journal;
    this.clock = parts.clock;
    this.faults = new ServerFaults({
      requests: parts.requests,
      watches: parts.watches,
      server,
      store: this.#breakable,
      tokens: parts.issuedTokens as ExpiringTokens,
    });
    this.#raw = new Client(fetchTransport(server.fetch, administrator));
    this.client = this.#clientOf(this.#raw);
  }

  get url(): string {
    return this.#server.url;
  }

  get kubeconfig(): string {
    return this.#server.kubeconfig;
  }

  get kubeconfigPath(): string | undefined {
    return this.#server.kubeconfigPath;
  }

  get kubeconfigFile(): string {
    return this.#file('kubeconfig', () => this.kubeconfig);
  }

  listen(): Promise<void> {
    return this.#server.listen();
  }

  signInLink(): string | undefined {
    return this.#server.signInLink();
  }

  /** What `reset` leads back to. */
  begin(isSettled: boolean): void {
    this.#isSettled = isSettled;
    this.#start = this.#server.store.checkpoint === undefined ? undefined : this.snapshot();
    this.journal.clear();
  }

  async apply(manifest: Manifest): Promise<void> {
    await this.applyFound(await foundIn(manifest));
  }

  async applyFound(found: Awaited<ReturnType<typeof foundIn>>, client = this.#raw): Promise<void> {
    const changes = new StoreChanges(this.#server.store);
    try {
      const served = () => this.#server.resources.groupVersions;
      await applyAll(found, { client, served, changed: () => changes.next(retryMs) });
    } finally {
      changes.close();
    }
  }

  asUser(name: string, groups: readonly string[] = []): TestUser {
    checkGiven('user', { name, groups }, userTypes);
    const user: UserInfo = { name, groups: [...new Set([...groups, authenticatedGroup])] };
    const raw = new Client(fetchTransport(this.fetch, user));
    const kubeconfig = () => this.#server.kubeconfigFor({ name, groups });
    const file = () => this.#file(JSON.stringify([name, ...groups]), kubeconfig);
    return {
      name,
      groups,
      client: this.#clientOf(raw),
      fetch: (input, init) => this.fetch(input, { ...init, user }),
      apply: async (manifest) => this.applyFound(await foundIn(manifest), raw),
      get kubeconfig() {
        return kubeconfig();
      },
      get kubeconfigFile() {
        return file();
      },
    };
  }

  eventually<T>(check: () => T | Promise<T>, options: EventuallyOptions = {}): Promise<Exclude<T, false>> {
    return eventually(check, new StoreChanges(this.#server.store), options);
  }

  snapshot(): TestSnapshot {
    const checkpoint = this.#server.store.checkpoint?.();
    if (checkpoint === undefined) throw withoutSnapshots();
    return { checkpoint };
  }

  async reset(snapshot = this.#start): Promise<void> {
    if (snapshot === undefined) throw withoutSnapshots();
    this.faults.clear();
    await snapshot.checkpoint.restore();
    if (this.#breakable.wasGone) await this.#followAgain();
    // what the controllers had not made when it was taken is made again
    else if (!this.#isSettled) await this.#server.settled();
    this.journal.clear();
  }

  async close(): Promise<void> {
    this.#notice?.close();
    this.clock.resume();
    this.faults.clear();
    await this.#server.close();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
    this.#files.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** After a loss of the store the server waits for a second before it follows it again: that second passes now. */
  async #followAgain(): Promise<void> {
    this.#breakable.wasGone = false;
    this.clock.advance(1000);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    await this.#server.settled();
  }

  #clientOf(raw: Client): TypedClient {
    return typedClient(raw, () => this.#server.resources.groupVersions);
  }

  /** Written on first use, in a folder that only this user may read. */
  #file(key: string, content: () => string): string {
    const existing = this.#files.get(key);
    if (existing !== undefined) return existing;
    const text = content();
    this.#folder ??= mkdtempSync(join(tmpdir(), 'keelson-test-'));
    const path = join(this.#folder, `kubeconfig-${this.#files.size}`);
    writeFileSync(path, text, { mode: 0o600 });
    this.#files.set(key, path);
    return path;
  }
}

const userTypes = { name: text, groups: textList };

/** How long something that is missing is waited for before the next try. */
const retryMs = 100;

const withoutSnapshots = (): Error => new Error('snapshots of a test server need the memory or the embedded store');
