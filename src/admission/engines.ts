// What plugins may use, and how they are set up.

import type { Clock } from '../base/clock.ts';
import type { AccessControl } from '../meta/access.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ObjectAccess, ResourceDefinition } from '../schema/resource.ts';
import type { Lookup } from './lookup.ts';
import type { Policy } from './plugins/pod-security/policy.ts';
import type { Toleration } from './plugins/tolerations.ts';

export interface PodSecuritySettings {
  readonly defaults: Policy;
  /** Who and what is not looked at. */
  readonly exemptions: {
    readonly usernames: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

export interface NodeSelectorSettings {
  /** What counts in namespaces that do not say. */
  readonly clusterDefault: string;
  /** All that pods of a namespace may select. */
  readonly allowed: ReadonlyMap<string, string>;
}

export interface TolerationSettings {
  readonly defaults: readonly Toleration[];
  /** All that pods may tolerate; anything when empty. */
  readonly allowed: readonly Toleration[];
}

export const eventLimitTypes = ['Server', 'Namespace', 'User', 'SourceAndObject'] as const;

export interface EventLimit {
  readonly type: (typeof eventLimitTypes)[number];
  /** Events a second. */
  readonly qps: number;
  /** Events at once. */
  readonly burst: number;
  /** Buckets that are remembered. */
  readonly cacheSize: number;
}

/** What nobody gets without a quota for it. */
export interface LimitedResource {
  readonly apiGroup: string;
  readonly resource: string;
  /** Parts of names of amounts. */
  readonly matchContains: readonly string[];
}

export interface PluginSettings {
  /** How long pods stay on nodes that are not ready, or cannot be reached, in seconds. */
  readonly notReadyTolerationSeconds: number;
  readonly unreachableTolerationSeconds: number;
  readonly podSecurity: PodSecuritySettings;
  readonly podNodeSelector: NodeSelectorSettings;
  readonly podTolerations: TolerationSettings;
  readonly eventLimits: readonly EventLimit[];
  readonly limitedResources: readonly LimitedResource[];
}

export interface AdmissionEngines {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly objects: Lookup;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly settings: PluginSettings;
  /** Stores an object of the server's own. */
  readonly create: ObjectAccess['create'];
  /** Changes a stored object, on the server's own behalf. */
  readonly update: ObjectAccess['update'];
  /** The resource that serves a kind; undefined where nobody does. */
  resourceOf(group: string, version: string, kind: string): ResourceDefinition | undefined;
}
