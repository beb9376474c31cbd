// What plugins may use, and how they are set up.

import type { JsonValue } from '../base/json/json.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Clock } from '../base/time/clock.ts';
import type { Kubeconfig } from '../client/kubeconfig/kubeconfig.ts';
import type { AccessControl } from '../meta/access.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { GroupVersionResource } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import type { RequestLife } from '../meta/request-life.ts';
import type { ObjectAccess } from '../schema/object-access.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { WebhookCaller } from '../webhooks/webhook-caller.ts';
import type { Follower, Lookup } from './lookup.ts';
import type { ImagePolicySettings } from './plugins/image-policy-webhook/image-policy-settings.ts';
import type { Policy } from './plugins/pod-security/policy.ts';
import type { Toleration } from './plugins/tolerations.ts';
import type { LocateVolume } from './plugins/volume-places.ts';

export interface PodSecuritySettings {
  readonly defaults: Policy;
  /** Who and what is not looked at. */
  readonly exemptions: {
    readonly usernames: ReadonlySet<string>;
    readonly namespaces: ReadonlySet<string>;
    readonly runtimeClasses: ReadonlySet<string>;
  };
}

interface NodeSelectorSettings {
  /** What counts in namespaces that do not say. */
  readonly clusterDefault: string;
  /** All that pods of a namespace may select. */
  readonly allowed: ReadonlyMap<string, string>;
}

interface TolerationSettings {
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

/** What a namespace gets only with a quota for it. */
interface LimitedResource {
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
  /** Undefined where neither a file nor a program says where disks are. */
  readonly locateVolume: LocateVolume | undefined;
  /** Undefined where no backend is configured. */
  readonly imagePolicy: ImagePolicySettings | undefined;
  /** Folders with webhooks and policies in files, by the plugin they are for. */
  readonly manifestFolders: Readonly<Partial<Record<ManifestPlugin, string>>>;
  /** As what the server calls webhooks, by the plugin that calls them. */
  readonly webhookUsers: Readonly<Record<WebhookPlugin, Kubeconfig>>;
}

/** Plugins that call webhooks. */
export type WebhookPlugin = 'MutatingAdmissionWebhook' | 'ValidatingAdmissionWebhook';

/** Plugins whose objects may stand in files. */
export type ManifestPlugin = WebhookPlugin | 'MutatingAdmissionPolicy' | 'ValidatingAdmissionPolicy';

/** Webhooks and policies that stand in files, as they are in force now. */
export interface Manifests {
  /** In the order of their names. */
  objectsOf(plural: string): readonly ApiObject[];
  /** Calls back after each change. */
  onChange(listener: () => void): void;
}

/** A call of a webhook that is over, as metrics count it. */
export interface WebhookReport {
  readonly name: string;
  readonly type: 'admit' | 'validating';
  readonly operation: string;
  readonly seconds: number;
  /** The status that the webhook answered with, or that stands for what went wrong. */
  readonly code: number;
  /** Undefined where the request goes on. */
  readonly rejectedBy?: 'calling_webhook_error' | 'no_error' | 'apiserver_internal_error';
  /** The call failed, and the request goes on as if it had not been made. */
  readonly failedOpen?: true;
}

/** What plugins need that ask other servers. */
export interface WebhookEngines {
  readonly caller: WebhookCaller;
  newUid(): string;
  onCall(report: WebhookReport): void;
  /** Tells operators of what clients do not see. */
  notice(fields: object, message: string): void;
}

/** One expression of a policy, as metrics count it. */
export type PolicyCheck = {
  readonly policy: string;
  readonly binding: string;
  readonly error: string;
  readonly seconds: number;
} & ({ readonly plugin: 'validating'; readonly action: string } | { readonly plugin: 'mutating' });

/** What PodSecurity made of a request, as metrics count it. */
export interface PodSecurityCheck {
  readonly operation: string;
  readonly resource: string;
  readonly subresource: string;
  /** Undefined for a request that is exempt. */
  readonly evaluated?: {
    readonly decision: 'allow' | 'deny';
    readonly mode: 'enforce' | 'audit' | 'warn';
    readonly level: string;
    readonly version: string;
  };
}

/** Match conditions that did not hold or could not be evaluated, as metrics count them. */
export interface ConditionReport {
  /** Of the webhook or policy. */
  readonly name: string;
  readonly kind: 'webhook' | 'policy';
  readonly type: 'admit' | 'validating' | 'validate';
  readonly operation: string;
  readonly seconds?: number;
  readonly errors?: number;
  /** A webhook is not called because of them. */
  readonly isExclusion?: true;
}

/** An object that was made of plain values, with defaults. */
export interface Completed {
  readonly object: ApiObject;
  /** Paths of fields that the kind does not have; they were dropped. */
  readonly unknownFields: readonly string[];
}

/** Gates that plugins look at. */
interface PluginGates {
  /** Nodes may ask for certificates of other nodes. */
  readonly AllowInsecureKubeletCertificateSigningRequests: boolean;
  readonly GenericWorkload: boolean;
  readonly ManifestBasedAdmissionControlConfig: boolean;
  readonly MutatingAdmissionPolicy: boolean;
  readonly NodeDeclaredFeatures: boolean;
  readonly PodTopologyLabelsAdmission: boolean;
  /** Nodes get tokens for those alone that the pod's volumes name. */
  readonly ServiceAccountNodeAudienceRestriction: boolean;
  /** Groups of pods have a priority of their own. */
  readonly WorkloadAwarePreemption: boolean;
  readonly WorkloadWithJob: boolean;
}

export interface AdmissionEngines {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly objects: Lookup;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly settings: PluginSettings;
  readonly gates: PluginGates;
  /** Stores an object of the server's own. */
  readonly create: ObjectAccess['create'];
  /** Changes a stored object, on the server's own behalf. */
  readonly update: ObjectAccess['update'];
  /** The resource that serves a kind; undefined where none does. */
  resourceOf(group: string, version: string, kind: string): ResourceDefinition | undefined;
  /** Keeps telling of the stored objects of a resource, from the start of the server on; nothing where it is not served. */
  follow(resource: GroupVersionResource, follower: Follower): void;
  /** Calls back after each change of what is served. */
  onServedChange(listener: () => void): void;
  /** The other versions in which a resource is served, with a subresource or without. */
  equivalents(definition: ResourceDefinition, subresource: string): readonly ResourceDefinition[];
  /** The object in another version of its kind; a server that converts is asked for as long as the request lasts. */
  convert(object: ApiObject, to: ResourceDefinition, during: RequestLife): MaybePromise<ApiObject>;
  /** Makes an object of plain values, which may have been made from `known`; throws a 400 for those that are none. */
  complete(definition: ResourceDefinition, value: JsonValue, known: ApiObject | undefined): Completed;
  readonly manifests: Manifests;
  onPolicyCheck(check: PolicyCheck): void;
  onPodSecurity?(check: PodSecurityCheck): void;
  onConditions(report: ConditionReport): void;
  readonly webhooks: WebhookEngines;
}
