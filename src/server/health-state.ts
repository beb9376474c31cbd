// What the health endpoints look at: the store, the hooks that run after start, and whether we are stopping.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Clock, Timer } from '../base/time/clock.ts';
import type { HealthCheck, HealthEndpoints } from '../discovery/health.ts';
import type { ComponentHealth } from '../schema/resource.ts';
import type { Store } from '../storage/store.ts';
import { probeLocally } from './own/local-probe.ts';

/** The port on which schedulers serve their health by default. */
const schedulerPort = 10259;

interface HealthSettings {
  readonly clock: Clock;
  readonly graceMs: number;
  /** How long the store may take to answer a check of `/livez` and `/healthz`, and one of `/readyz`. */
  readonly healthMs?: number;
  readonly readyMs?: number;
  /** Whether several threads may serve, each of which has to be there. */
  readonly hasThreads?: boolean;
  /** What is wrong with the plugins for keys; absent where there are none. */
  readonly keyProviders?: () => Promise<string | undefined>;
}

const usualCheckMs = 2000;

export class HealthState {
  readonly #store: Store;
  readonly #hooks = new Map<string, boolean>();
  readonly #isYoung: () => boolean;
  readonly #clock: Clock;
  readonly #keyChecks: readonly HealthCheck[];
  readonly #storeMs: { readonly healthMs: number; readonly readyMs: number };
  #stopping = false;
  readonly #threadChecks: readonly HealthCheck[] = [];
  #threads: () => MaybePromise<string | undefined> = () => undefined;

  /** Until `graceMs` after the start, `/livez` takes for granted that the hooks will be done. */
  constructor(store: Store, hooks: readonly string[], settings: HealthSettings) {
    const { clock, graceMs, healthMs = usualCheckMs, readyMs = usualCheckMs, keyProviders, hasThreads } = settings;
    if (hasThreads) this.#threadChecks = [{ name: 'threads', check: async () => this.#threads() }];
    this.#keyChecks = keyProviders === undefined ? [] : [{ name: 'kms-providers', check: keyProviders }];
    this.#store = store;
    this.#clock = clock;
    this.#storeMs = { healthMs, readyMs };
    const grownUp = clock.now() + graceMs;
    this.#isYoung = () => clock.now() < grownUp;
    for (const hook of hooks) this.#hooks.set(hook, false);
  }

  /** `/readyz` fails while a thread that should serve does not. */
  watchThreads(problem: () => MaybePromise<string | undefined>): void {
    this.#threads = problem;
  }

  hookDone(name: string): void {
    this.#hooks.set(name, true);
  }

  stopping(): void {
    this.#stopping = true;
  }

  endpoints(): HealthEndpoints {
    const common = this.#checks((hook) => this.#checkHook(hook), this.#keyChecks);
    const lenient = this.#checks((hook) => (this.#isYoung() ? undefined : this.#checkHook(hook)));
    const shutdown = named('shutdown', () => (this.#stopping ? 'the server is shutting down' : undefined));
    const strict = this.#checks((hook) => this.#checkHook(hook), this.#readyChecks());
    // the server calls itself without a connection, so no certificate for that can expire
    const loopback = named('loopback-serving-certificate', () => undefined);
    const [healthz, livez] = [common, lenient].map((checks) => checks.toSpliced(2, 0, loopback));
    const readyz = [...strict, ...this.#diskChecks(), ...this.#threadChecks, shutdown];
    return { healthz: healthz ?? [], livez: livez ?? [], readyz };
  }

  /** What a server needs to be asked, besides being there. */
  #readyChecks(): readonly HealthCheck[] {
    const unfinished = () => [...this.#hooks.values()].includes(false);
    return [
      { name: 'etcd-readiness', check: () => this.#checkStore(this.#storeMs.readyMs) },
      ...this.#keyChecks,
      named('informer-sync', () => (unfinished() ? 'what the server keeps in memory is not complete' : undefined)),
    ];
  }

  #checks(checkHook: (hook: string) => string | undefined, more: readonly HealthCheck[] = []): readonly HealthCheck[] {
    return [
      named('ping', () => undefined),
      named('log', () => undefined),
      // clients look for the backing store under this name, whatever it is
      { name: 'etcd', check: () => this.#checkStore(this.#storeMs.healthMs) },
      ...more,
      ...[...this.#hooks.keys()].map((hook) => named(hook, () => checkHook(hook))),
    ];
  }

  /** A server that takes no writes is not ready, and says why by the name of the check; a restart would not help it. */
  #diskChecks(): readonly HealthCheck[] {
    const store = this.#store;
    return store.shortage === undefined ? [] : [named('disk-space', () => store.shortage?.())];
  }

  /** What clients of old know as components: the controllers, whatever keeps the objects, and a scheduler on this machine. */
  async components(): Promise<readonly ComponentHealth[]> {
    const waiting = [...this.#hooks.keys()].map((hook) => this.#checkHook(hook)).find((text) => text !== undefined);
    return [
      { name: 'controller-manager', error: waiting },
      { name: 'etcd-0', error: await this.#checkStore(this.#storeMs.healthMs) },
      { name: 'scheduler', error: await probeLocally(schedulerPort, '/healthz') },
    ];
  }

  async #checkStore(limitMs: number): Promise<string | undefined> {
    let timer: Timer | undefined;
    const late = new Promise<string>((resolve) => {
      timer = this.#clock.after(limitMs, () => resolve(`the store did not answer within ${limitMs} ms`));
    });
    try {
      return await Promise.race([this.#askStore(), late]);
    } finally {
      timer?.cancel();
    }
  }

  async #askStore(): Promise<string | undefined> {
    try {
      await this.#store.currentRevision();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #checkHook(hook: string): string | undefined {
    return this.#hooks.get(hook) === true ? undefined : 'not finished';
  }
}

function named(name: string, check: () => string | undefined): HealthCheck {
  return { name, check };
}
