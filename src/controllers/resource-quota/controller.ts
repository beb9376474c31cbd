// Keeps the status of quotas true: what is allowed and what is used.

import { isDeepStrictEqual } from 'node:util';
import type { Timer } from '../../base/time/clock.ts';
import { isConflict, isNotFound } from '../../client/client.ts';
import type { ResourceQuota } from '../../groups/core/v1/quota/resource-quota-type.ts';
import type { Controller, ControllerContext, ControllerFactory } from '../controller.ts';
import { objectOf, type StoredChange, type StoredResource } from '../object-feed.ts';
import type { WorkOutcome, WorkQueue } from '../work-queue.ts';
import { reconcileQuota } from './reconcile.ts';

/** Many changes in a namespace are counted together. */
const settleMs = 100;
/** What is charged for an object comes before the object: its quota is counted again once that is there, or is not to come. */
const chargeMs = 1000;
/** A charge whose object is not there by then belongs to a request that failed. */
const lostMs = 10_000;

export const resourceQuotaController: ControllerFactory = (context) => {
  const controller = new QuotaController(context);
  context.feed.subscribe({
    wants: ({ namespaced }) => namespaced,
    onChange: (change) => controller.onChange(change),
    onRestart: () => controller.forget(),
  });
  return controller;
};

const isQuota = ({ group, plural }: StoredResource) => group === '' && plural === 'resourcequotas';

class QuotaController implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  /** Names of quotas by their namespace. */
  readonly #quotasIn = new Map<string, Set<string>>();
  /** Quotas that are counted because something was charged to them, and those of which something was deleted. */
  readonly #charged = new Set<string>();
  readonly #released = new Set<string>();
  /** Counts to come because something changed: a stream of changes does not put them off. */
  readonly #settling = new Map<string, Timer>();
  /** Counts to come after charges, and the times of the first and the newest of these. */
  readonly #charging = new Map<string, Charging>();
  /** Counts to come when a charge without an object is lost. */
  readonly #losing = new Map<string, Timer>();

  constructor(context: ControllerContext) {
    this.#context = context;
    const work = (key: string) => this.#work(key);
    this.#queue = context.queue({ name: 'resource_quota_controller_resource_changes', workers: 4, work });
  }

  onChange(change: StoredChange): void {
    if (isQuota(change.resource) && !this.#needsCounts(change)) return;
    for (const name of this.#quotasIn.get(change.namespace) ?? []) {
      const key = `${change.namespace}/${name}`;
      if (change.json === undefined) this.#released.add(key);
      this.#countSettled(key);
    }
  }

  forget(): void {
    this.#quotasIn.clear();
    this.#charged.clear();
    this.#released.clear();
  }

  close(): Promise<void> {
    for (const timer of [...this.#settling.values(), ...this.#losing.values()]) timer.cancel();
    for (const { timer } of this.#charging.values()) timer.cancel();
    return this.#queue.close();
  }

  /** Whether a changed quota is a reason to count those of its namespace. */
  #needsCounts({ namespace, name, json }: StoredChange): boolean {
    this.#list(namespace, name, json !== undefined);
    const key = `${namespace}/${name}`;
    const quota = json && objectOf<ResourceQuota>(json);
    if (quota === undefined) {
      this.#charged.delete(key);
      this.#released.delete(key);
      return true;
    }
    if (isCounted(quota)) {
      this.#countCharged(key);
      return false;
    }
    this.#queue.add(key);
    return true;
  }

  #list(namespace: string, name: string, isThere: boolean): void {
    const names = this.#quotasIn.get(namespace) ?? new Set();
    if (isThere) names.add(name);
    else names.delete(name);
    if (names.size === 0) this.#quotasIn.delete(namespace);
    else this.#quotasIn.set(namespace, names);
  }

  /** Waits for more changes. The count after a charge, where one is to come, includes them. */
  #countSettled(key: string): void {
    if (this.#settling.has(key) || this.#charging.has(key)) return;
    const timer = this.#context.clock.after(settleMs, () => {
      this.#settling.delete(key);
      this.#queue.add(key);
    });
    this.#settling.set(key, timer);
  }

  /** Waits for the object of the newest charge, but no longer than `lostMs` after the first. */
  #countCharged(key: string): void {
    const { clock } = this.#context;
    const now = clock.now();
    const earlier = this.#charging.get(key);
    if (earlier !== undefined) {
      earlier.newest = now;
      return;
    }
    const charging: Charging = { first: now, newest: now, timer: clock.after(chargeMs, () => this.#endCharging(key)) };
    this.#charging.set(key, charging);
  }

  #endCharging(key: string): void {
    const { clock } = this.#context;
    const charging = this.#charging.get(key);
    if (charging === undefined) return;
    const now = clock.now();
    const waitMs = Math.min(charging.newest + chargeMs, charging.first + lostMs) - now;
    // only a count after a deletion takes charges away
    if (waitMs > 0 && this.#released.has(key)) {
      charging.timer = clock.after(waitMs, () => this.#endCharging(key));
      return;
    }
    this.#charging.delete(key);
    this.#charged.add(key);
    this.#queue.add(key);
  }

  #countLost(key: string): void {
    if (this.#losing.has(key)) return;
    const timer = this.#context.clock.after(lostMs, () => {
      this.#losing.delete(key);
      this.#queue.add(key);
    });
    this.#losing.set(key, timer);
  }

  async #work(key: string): Promise<WorkOutcome> {
    try {
      await this.#count(key);
      return 'done';
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (isNotFound(error)) return 'done';
      throw error;
    }
  }

  async #count(key: string): Promise<void> {
    const [namespace = '', name = ''] = key.split('/');
    const wasCharged = this.#charged.delete(key);
    const wasReleased = this.#released.delete(key);
    // the object of a charge that came while this count waited need not be stored yet, on whatever thread it is created
    const keepsCharges = () => this.#charging.has(key) || (wasCharged && !wasReleased);
    try {
      const { isFirst, keptCharges } = await reconcileQuota(this.#context, namespace, name, { keepsCharges });
      if (keptCharges) this.#countLost(key);
      if (keptCharges && wasReleased) this.#released.add(key);
      // objects that were created during the first count are charged to no quota: this count includes them
      if (isFirst) await reconcileQuota(this.#context, namespace, name, { keepsCharges: () => true });
    } catch (error) {
      if (wasCharged) this.#charged.add(key);
      if (wasReleased) this.#released.add(key);
      throw error;
    }
  }
}

interface Charging {
  readonly first: number;
  newest: number;
  timer: Timer;
}

/** What is used of all that it limits has been counted before: then it changes by what is charged to it. */
const isCounted = ({ spec = {}, status = {} }: ResourceQuota): boolean =>
  isDeepStrictEqual(spec.hard, status.hard) &&
  isDeepStrictEqual(Object.keys(spec.hard ?? {}).sort(), Object.keys(status.used ?? {}).sort());
