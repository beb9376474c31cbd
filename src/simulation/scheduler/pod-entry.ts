// A pod as the scheduler sees it: what its placement depends on, read once. Pods at rest keep no more than this.

import type { Container } from '../../groups/core/v1/pod/container-defaults.ts';
import { podRequests } from '../../groups/core/v1/pod/pod-resources.ts';
import type { PodSpec } from '../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { Labels } from '../../meta/object.ts';
import { atScale, parseQuantity, type Quantity } from '../../meta/quantity.ts';
import { type AffinityTerms, affinityTermsOf } from './pod-affinity-terms.ts';

/** Amounts by resource: CPU in thousandths, all others in units. */
export type Amounts = ReadonlyMap<string, number>;

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** A claim that a volume of the pod uses. */
export interface UsedClaim {
  readonly name: string;
  /** The claim is made for the pod alone. */
  readonly isEphemeral: boolean;
}

export interface PodEntry {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly requests: Amounts;
  /** CPU and memory for scores: containers without a request are assumed to use a little. */
  readonly assumed: Amounts;
  readonly hostPorts: readonly HostPort[];
  /** Undefined where the pod states no affinity to other pods. */
  readonly affinity: AffinityTerms | undefined;
  /** The uid of the controller that made the pod; its pods are spread. */
  readonly controller: string;
  readonly claims: readonly UsedClaim[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly isEnding: boolean;
}

const noAmounts: Amounts = new Map();
const none: readonly never[] = [];
const noLabels: Labels = {};

export function podEntryOf(pod: Pod): PodEntry {
  const { metadata, spec = {}, status = {} } = pod;
  const requests = amountsOf(podRequests(spec));
  return {
    uid: metadata.uid ?? '',
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    labels: metadata.labels ?? noLabels,
    priority: spec.priority ?? 0,
    requests: requests.size === 0 ? noAmounts : requests,
    assumed: amountsOf(podRequests(withAssumedRequests(spec))),
    hostPorts: hostPortsOf(spec),
    affinity: affinityTermsOf(pod),
    controller: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '',
    claims: claimsOf(pod),
    startedAt: Date.parse(status.startTime ?? metadata.creationTimestamp ?? '') || 0,
    isEnding: metadata.deletionTimestamp !== undefined,
  };
}

const amountOf = (name: string, quantity: Quantity): number => Number(atScale(quantity, name === 'cpu' ? -3 : 0));

function amountsOf(quantities: ReadonlyMap<string, Quantity>): Amounts {
  return new Map([...quantities].map(([name, quantity]) => [name, amountOf(name, quantity)]));
}

/** The amounts of a node, or of another map of quantities in text. */
export function amountsIn(texts: Readonly<Record<string, string>> = {}): Amounts {
  const amounts = new Map<string, number>();
  for (const [name, text] of Object.entries(texts)) {
    const quantity = parseQuantity(text);
    if (quantity !== undefined) amounts.set(name, amountOf(name, quantity));
  }
  return amounts;
}

/** kube-scheduler assumes as much of containers that request nothing. */
const assumedRequests = { cpu: '100m', memory: '200Mi' };

function withAssumedRequests(spec: PodSpec): PodSpec {
  const assume = (container: Container): Container => ({
    ...container,
    resources: { ...container.resources, requests: { ...assumedRequests, ...container.resources?.requests } },
  });
  const { containers, initContainers } = spec;
  return {
    ...spec,
    ...(containers ? { containers: containers.map(assume) } : {}),
    ...(initContainers ? { initContainers: initContainers.map(assume) } : {}),
  };
}

function hostPortsOf({ containers = [], initContainers = [] }: PodSpec): readonly HostPort[] {
  const lasting = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  const ports = lasting.flatMap(({ ports = [] }) => ports).filter(({ hostPort = 0 }) => hostPort > 0);
  if (ports.length === 0) return none;
  return ports.map(({ hostIP, hostPort = 0, protocol = 'TCP' }) => ({
    ip: hostIP || '0.0.0.0',
    protocol,
    port: hostPort,
  }));
}

function claimsOf({ metadata, spec }: Pod): readonly UsedClaim[] {
  const claims = (spec?.volumes ?? []).flatMap(({ name = '', persistentVolumeClaim, ephemeral }): UsedClaim[] => {
    if (ephemeral) return [{ name: `${metadata.name}-${name}`, isEphemeral: true }];
    return persistentVolumeClaim ? [{ name: persistentVolumeClaim.claimName ?? '', isEphemeral: false }] : [];
  });
  return claims.length === 0 ? none : claims;
}
