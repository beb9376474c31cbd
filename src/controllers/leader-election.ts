// One leader among several servers on one store: the server that holds the Lease works, the others watch it.

import type { Clock, Timer } from '../base/time/clock.ts';
import { type Client, isConflict } from '../client/client.ts';
import type { ApiObject } from '../meta/object.ts';
import { formatMicroTime } from '../meta/time.ts';

/** How a leader is chosen. */
export interface ElectionTerms {
  readonly name: string;
  /** The system namespace where it is not given. */
  readonly namespace: string | undefined;
  readonly leaseMs: number;
  /** A leader that could not renew for this long steps down, well before another server may take over. */
  readonly renewWithinMs: number;
  readonly retryMs: number;
}

interface ElectionOptions extends Omit<ElectionTerms, 'namespace'> {
  readonly client: Client;
  readonly clock: Clock;
  /** Path of the collection of leases. */
  readonly leases: string;
  /** The name of this server, unlike any other. */
  readonly identity: string;
  onElected(): void;
  onDeposed(): Promise<void>;
  onError(error: unknown): void;
}

interface Lease extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export class LeaderElection {
  readonly #options: ElectionOptions;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #closed = false;
  #leads = false;
  #renewedAt = 0;
  /** The lease as last seen, and when by our own clock: clocks of others are not trusted. */
  #seen: { readonly version: string; readonly at: number } = { version: '', at: 0 };

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  get leads(): boolean {
    return this.#leads;
  }

  start(): void {
    this.#running = this.#turn();
  }

  /** Ends its leadership, and leaves the lease free for the next one. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#running;
    if (!this.#leads) return;
    await this.#depose();
    await this.#release().catch(this.#options.onError);
  }

  async #turn(): Promise<void> {
    const { clock, onError, onElected, renewWithinMs, retryMs } = this.#options;
    let failed = false;
    const holds = await this.#hold().catch((error: unknown) => {
      failed = true;
      if (!isConflict(error)) onError(error);
      return false;
    });
    if (holds) this.#renewedAt = clock.now();
    if (holds && !this.#leads) {
      this.#leads = true;
      onElected();
    } else if (this.#leads && clock.now() - this.#renewedAt >= renewWithinMs) await this.#depose();
    if (this.#closed) return;
    this.#timer = clock.after(failed || this.#leads ? retryMs : this.#lookMs, () => {
      this.#running = this.#turn();
    });
  }

  /** Takes or renews the lease if it is ours to take. */
  async #hold(): Promise<boolean> {
    const { client, leases, name } = this.#options;
    const lease = await client.find<Lease>(`${leases}/${name}`);
    if (lease === undefined) {
      await client.create(leases, { kind: 'Lease', metadata: { name }, spec: this.#spec({}, true) });
      return true;
    }
    const { spec = {} } = lease;
    const isOurs = spec.holderIdentity === this.#options.identity;
    if (!isOurs && spec.holderIdentity && !this.#isOver(lease)) return false;
    await client.replace(`${leases}/${name}`, { ...lease, spec: this.#spec(spec, !isOurs) });
    return true;
  }

  #isOver({ metadata: { resourceVersion = '' } }: Lease): boolean {
    const now = this.#options.clock.now();
    if (this.#seen.version !== resourceVersion) this.#seen = { version: resourceVersion, at: now };
    // the last renewal was one look before it was seen, or two where this server is busy
    return now - this.#seen.at >= this.#options.leaseMs - 2 * this.#lookMs;
  }

  /** How often another server looks whether the lease was renewed. Two looks are at most half of the time in which no server leads. */
  get #lookMs(): number {
    const { leaseMs, renewWithinMs, retryMs } = this.#options;
    return Math.min(retryMs / 4, (leaseMs - renewWithinMs) / 4);
  }

  #spec(old: NonNullable<Lease['spec']>, takesOver: boolean): Lease['spec'] {
    const now = formatMicroTime(this.#options.clock.now());
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#options.leaseMs / 1000),
      acquireTime: takesOver ? now : (old.acquireTime ?? now),
      renewTime: now,
      leaseTransitions: (old.leaseTransitions ?? 0) + (takesOver && old.acquireTime !== undefined ? 1 : 0),
    };
  }

  async #depose(): Promise<void> {
    this.#leads = false;
    await this.#options.onDeposed();
  }

  async #release(): Promise<void> {
    const { client, leases, name, identity } = this.#options;
    const lease = await client.find<Lease>(`${leases}/${name}`);
    if (lease?.spec?.holderIdentity !== identity) return;
    await client.replace(`${leases}/${name}`, {
      ...lease,
      spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 },
    });
  }
}
