// Keeps the status of quotas true: what is allowed and what is used.

import { isDeepStrictEqual } from 'node:util';
import type { Timer } from '../../base/clock.ts';
import { isConflict, isNotFound } from '../../client/client.ts';
import type { ResourceQuota } from '../../groups/core/v1/resource-quota.ts';
import type { ControllerFactory } from '../controller.ts';
import { objectOf, type StoredChange } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';
import { reconcileQuota } from './reconcile.ts';

/** Many changes in a namespace are counted together. */
const settleMs = 100;
/** What is charged for an object comes before the object: its quota is counted again once that is there, or is not to come. */
const chargeMs = 1000;
/** A charge whose object is not there by then belongs to a request that failed. */
const lostMs = 10_000;

export const resourceQuotaController: ControllerFactory = (context) => {
  const quotasIn = new Map<string, Set<string>>();
  /** Quotas that are counted because something was charged to them, and those of which something was deleted. */
  const charged = new Set<string>();
  const released = new Set<string>();

  async function work(key: string): Promise<WorkOutcome> {
    const [namespace = '', name = ''] = key.split('/');
    try {
      const keepsCharges = charged.delete(key) && !released.has(key);
      released.delete(key);
      const { isFirst, keptCharges } = await reconcileQuota(context, namespace, name, { keepsCharges });
      if (keptCharges) recount(key, lostMs);
      // what was made during the first count is charged to no quota: it is found now
      if (isFirst) await reconcileQuota(context, namespace, name, { keepsCharges: true });
      return 'done';
    } catch (error) {
      if (isConflict(error)) return 'again';
      if (isNotFound(error)) return 'done';
      throw error;
    }
  }
  const queue = context.queue({ name: 'resource_quota_controller_resource_changes', workers: 4, work });
  /** Counts to come, by quota and delay: a stream of changes does not put them off. */
  const arranged = new Map<string, Timer>();

  function recount(key: string, afterMs = settleMs): void {
    const plan = `${afterMs} ${key}`;
    // what was charged just now need not be stored yet: who counts before it is there gives it away a second time
    if (arranged.has(plan) || arranged.has(`${chargeMs} ${key}`)) return;
    const timer = context.clock.after(afterMs, () => {
      arranged.delete(plan);
      if (afterMs === chargeMs) charged.add(key);
      queue.add(key);
    });
    arranged.set(plan, timer);
  }

  /** Whether there is nothing new to count. */
  function onQuota({ namespace, name, json }: StoredChange): boolean {
    const names = quotasIn.get(namespace) ?? new Set();
    if (json === undefined) names.delete(name);
    else names.add(name);
    if (names.size === 0) quotasIn.delete(namespace);
    else quotasIn.set(namespace, names);
    const quota = json && objectOf<ResourceQuota>(json);
    if (quota === undefined) {
      charged.delete(`${namespace}/${name}`);
      released.delete(`${namespace}/${name}`);
      return false;
    }
    const isSettled = isCounted(quota);
    if (isSettled) recount(`${namespace}/${name}`, chargeMs);
    else queue.add(`${namespace}/${name}`);
    return isSettled;
  }

  context.feed.subscribe({
    wants: ({ namespaced }) => namespaced,
    onChange(change) {
      const { group, plural } = change.resource;
      if (group === '' && plural === 'resourcequotas' && onQuota(change)) return;
      for (const name of quotasIn.get(change.namespace) ?? []) {
        const key = `${change.namespace}/${name}`;
        if (change.json === undefined) released.add(key);
        recount(key);
      }
    },
    onRestart() {
      quotasIn.clear();
      charged.clear();
      released.clear();
    },
  });
  return {
    close() {
      for (const timer of arranged.values()) timer.cancel();
      return queue.close();
    },
  };
};

/** What is used of all that it limits has been counted before: then it changes by what is charged to it. */
const isCounted = ({ spec = {}, status = {} }: ResourceQuota): boolean =>
  isDeepStrictEqual(spec.hard, status.hard) &&
  isDeepStrictEqual(Object.keys(spec.hard ?? {}).sort(), Object.keys(status.used ?? {}).sort());
