// The live table of resources, with the built-in ones that the configuration wants.

import { randomUUID } from 'node:crypto';
import type { ServerConfig } from '../config/options.ts';
import { servedPart } from '../config/runtime-config.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { objectAccess } from '../registry/object-access.ts';
import { Resources } from '../registry/resources.ts';
import type { ObjectAccess, OwnRequests } from '../schema/object-access.ts';
import { OffFields } from '../schema/off-fields.ts';
import type { GroupVersionDefinition } from '../schema/resource.ts';
import type { Store } from '../storage/store.ts';
import type { Observers } from './start/engines.ts';
import type { ServerHooks } from './start/server-hooks.ts';

interface ServedResources {
  readonly resources: Resources;
  readonly objects: ObjectAccess;
  /** Every group-version that is built in, also those that are not served. */
  readonly builtIn: readonly GroupVersionDefinition[];
}

/** Of all threads together, and at least of each. */
const hotTexts = { bytes: 32 * 1024 * 1024, minBytes: 8 * 1024 * 1024 };

/** Threads share a budget, as each of them may have the same objects in use. */
const hotTextBytes = (threads: number) => Math.max(hotTexts.bytes / threads, hotTexts.minBytes);

export function openResources(
  config: ServerConfig,
  store: Store,
  { requests, hooks }: { readonly requests: OwnRequests; readonly hooks: ServerHooks },
  { decisions, metrics }: Observers,
): ServedResources {
  const { clock, dialect, log } = config;
  const resources = new Resources({
    store,
    clock,
    dialect,
    refusesPrivileged: !config.allowPrivileged,
    ignoresDependents: !config.controllers.collectsGarbage,
    versions: config.versions,
    offFields: new OffFields(config.featureGates),
    ruleTimes: metrics.rules.times,
    hotTextBytes: hotTextBytes(hooks.serving?.threads ?? config.threads.most),
    newUid: randomUUID,
    objects: () => objects,
    expirySeconds: config.eventTtlSeconds,
    onUnreadable: (key, why) => log.error({ key, why }, 'a stored object cannot be read and is left out'),
    onAllocation: (tried) => metrics.allocations.observe(tried),
    onCounted: (write) => metrics.writes.count(write),
    onCacheFilled: (prefix, count, ms) => decisions.onCacheFilled(prefix, count, ms),
  });
  const objects = objectAccess(resources, requests);
  const builtIn = config.extension === undefined ? builtInGroups(dialect) : [];
  for (const groupVersion of builtIn) serveBuiltIn(resources, groupVersion, config);
  return { resources, objects, builtIn };
}

function serveBuiltIn(resources: Resources, groupVersion: GroupVersionDefinition, config: ServerConfig): void {
  resources.registerReadable(groupVersion);
  const served = servedPart(groupVersion, config.runtimeConfig, config.featureGates);
  if (served !== undefined) resources.serve(served);
}
