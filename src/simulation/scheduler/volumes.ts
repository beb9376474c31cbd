// What the volumes of a pod require of its node, and what has to be done before the pod may be bound.

import type { PersistentVolumeClaim } from '../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import type { PersistentVolume } from '../../groups/core/v1/volume/persistent-volume-type.ts';
import type { StorageClass } from '../../groups/storage/v1/storage-class.ts';
import type { Labels } from '../../meta/object.ts';
import { compareQuantities, parseQuantity } from '../../meta/quantity.ts';
import type { SimulationKeys } from '../keys.ts';
import type { Rejection } from './filters.ts';
import { matchesNode } from './node-affinity.ts';
import type { PodEntry, UsedClaim } from './pod-entry.ts';

/** Lookup of what volumes refer to. */
export interface VolumeObjects {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  storageClass(name: string): StorageClass | undefined;
  /** Whether another pod that is not over uses a claim. */
  isClaimUsed(namespace: string, name: string, exceptUid: string): boolean;
  readonly keys: SimulationKeys;
}

interface PlacedNode {
  readonly name: string;
  readonly labels: Labels;
}

/** A claim that is bound only now that its pod has a node: to a volume, or to one that is to be provisioned. */
export interface ClaimPlan {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume | undefined;
}

export interface VolumeNeeds {
  /** A reason for which no node can take the pod. */
  readonly problem: string | undefined;
  problemOf(node: PlacedNode): Rejection | undefined;
  /** What to do about claims once a node is chosen; an empty list when all are bound. */
  plansFor(node: PlacedNode): readonly ClaimPlan[];
}

const noNeeds: VolumeNeeds = { problem: undefined, problemOf: () => undefined, plansFor: () => [] };

export function volumeNeedsOf(pod: PodEntry, objects: VolumeObjects): VolumeNeeds {
  if (pod.claims.length === 0) return noNeeds;
  const bound: PersistentVolume[] = [];
  const waiting: PersistentVolumeClaim[] = [];
  for (const used of pod.claims) {
    const claim = objects.claim(pod.namespace, used.name);
    const problem = claim === undefined ? missing(used) : problemOf(claim, pod, objects);
    if (problem !== undefined || claim === undefined) return { ...noNeeds, problem };
    const volume = isBound(claim, objects) ? objects.volume(claim.spec?.volumeName ?? '') : undefined;
    if (volume !== undefined) bound.push(volume);
    else waiting.push(claim);
  }
  return needsOf(bound, waiting, objects);
}

const missing = ({ name, isEphemeral }: UsedClaim): string =>
  isEphemeral
    ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    : `persistentvolumeclaim "${name}" not found`;

/** Both sides have to be done. */
const isBound = ({ metadata, spec }: PersistentVolumeClaim, { keys }: Pick<VolumeObjects, 'keys'>): boolean =>
  Boolean(spec?.volumeName) && metadata.annotations?.[keys.bindCompleted] !== undefined;

const inUse =
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

function problemOf(claim: PersistentVolumeClaim, pod: PodEntry, objects: VolumeObjects): string | undefined {
  const { metadata, spec = {}, status = {} } = claim;
  const { name = '', namespace = '' } = metadata;
  if (status.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${spec.volumeName ?? ''}"`;
  if (metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  const isExclusive = spec.accessModes?.includes('ReadWriteOncePod') === true;
  if (isExclusive && objects.isClaimUsed(namespace, name, pod.uid)) return inUse;
  if (isBound(claim, objects) || waitsForPod(claim, objects)) return undefined;
  return 'pod has unbound immediate PersistentVolumeClaims';
}

function waitsForPod({ spec }: PersistentVolumeClaim, objects: VolumeObjects): boolean {
  const storageClass = objects.storageClass(spec?.storageClassName ?? '');
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}

const reject = (reason: string): Rejection => ({ reasons: [reason], isFinal: true });

function needsOf(
  bound: readonly PersistentVolume[],
  waiting: readonly PersistentVolumeClaim[],
  objects: VolumeObjects,
): VolumeNeeds {
  const planFor = (claim: PersistentVolumeClaim, node: PlacedNode): ClaimPlan | undefined => {
    const volume = smallestVolume(claim, node, objects);
    return volume !== undefined || isProvisioned(claim, node, objects) ? { claim, volume } : undefined;
  };
  return {
    problem: undefined,
    problemOf(node) {
      if (bound.some((volume) => !isReachable(volume, node)))
        return reject("node(s) didn't match PersistentVolume's node affinity");
      return waiting.every((claim) => planFor(claim, node) !== undefined)
        ? undefined
        : reject("node(s) didn't find available persistent volumes to bind");
    },
    plansFor: (node) => waiting.flatMap((claim) => planFor(claim, node) ?? []),
  };
}

function isReachable({ spec }: PersistentVolume, node: PlacedNode): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || matchesNode(required, node);
}

function smallestVolume(
  claim: PersistentVolumeClaim,
  node: PlacedNode,
  objects: VolumeObjects,
): PersistentVolume | undefined {
  let best: PersistentVolume | undefined;
  for (const volume of objects.volumes())
    if (fits(volume, claim) && isReachable(volume, node) && (best === undefined || compareSizes(volume, best) < 0))
      best = volume;
  return best;
}

const sizeOf = (text: string | undefined) => parseQuantity(text ?? '0') ?? zero;
const zero = { digits: 0n, scale: 0, format: 'decimal' } as const;

const capacityOf = ({ spec }: PersistentVolume) => sizeOf(spec?.capacity?.['storage']);

const compareSizes = (a: PersistentVolume, b: PersistentVolume) => compareQuantities(capacityOf(a), capacityOf(b));

function fits(volume: PersistentVolume, { metadata, spec: claimSpec = {} }: PersistentVolumeClaim): boolean {
  const { spec = {}, status = {} } = volume;
  const { claimRef } = spec;
  const isFree = claimRef === undefined && (status.phase === 'Available' || status.phase === undefined);
  const isReserved = claimRef?.name === metadata.name && claimRef?.namespace === metadata.namespace;
  return (
    (isFree || isReserved) &&
    (spec.storageClassName ?? '') === (claimSpec.storageClassName ?? '') &&
    (spec.volumeMode ?? 'Filesystem') === (claimSpec.volumeMode ?? 'Filesystem') &&
    (claimSpec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode)) &&
    compareQuantities(capacityOf(volume), sizeOf(claimSpec.resources?.requests?.['storage'])) >= 0
  );
}

function isProvisioned({ spec }: PersistentVolumeClaim, { labels }: PlacedNode, objects: VolumeObjects): boolean {
  const { provisioner = '', allowedTopologies = [] } = objects.storageClass(spec?.storageClassName ?? '') ?? {};
  if (provisioner === '' || provisioner === objects.keys.noProvisioner) return false;
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key = '', values = [] }) => values.includes(labels[key] ?? '')),
  );
}
