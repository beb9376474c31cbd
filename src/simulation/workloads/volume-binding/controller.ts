// Binds claims to volumes, simulates the provisioner of storage classes, and releases or deletes volumes of deleted claims.

import { isConflict } from '../../../client/client.ts';
import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder, type Occurrence } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { PersistentVolumeClaim } from '../../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import type { PersistentVolume } from '../../../groups/core/v1/volume/persistent-volume-type.ts';
import type { StorageClass } from '../../../groups/storage/v1/storage-class.ts';
import { apiGroup, labelKey } from '../../../meta/dialect.ts';
import { cacheOf, type ObjectCache } from '../../object-cache.ts';
import { untilReported, writeStatus } from '../status.ts';
import {
  annotationKeys,
  bestVolume,
  boundClaim,
  boundVolume,
  claimKey,
  isFor,
  newVolume,
  phaseOf,
} from './reconcile.ts';

interface Parts {
  readonly context: ControllerContext;
  readonly events: EventRecorder;
  readonly claims: ObjectCache<PersistentVolumeClaim>;
  readonly volumes: ObjectCache<PersistentVolume>;
  readonly classes: ObjectCache<StorageClass>;
  readonly pods: ObjectCache<Pod>;
}

export function volumeBindingController(context: ControllerContext): Controller {
  const parts: Parts = {
    context,
    events: new EventRecorder(context, 'persistentvolume-controller'),
    claims: cacheOf<PersistentVolumeClaim>(context, '', 'persistentvolumeclaims'),
    volumes: cacheOf<PersistentVolume>(context, '', 'persistentvolumes'),
    classes: cacheOf<StorageClass>(context, apiGroup(context.dialect, 'storage'), 'storageclasses'),
    pods: cacheOf<Pod>(context, '', 'pods'),
  };
  const { claims, volumes, classes, pods } = parts;
  const claimQueue = context.queue({ name: 'claims', work: (key) => untilReported(workOnClaim(parts, key)) });
  const volumeQueue = context.queue({ name: 'volumes', work: (name) => untilReported(workOnVolume(parts, name)) });
  const addOpenClaims = () => {
    for (const claim of claims.all()) if (claim.status?.phase !== 'Bound') claimQueue.add(claimKey(claim));
  };
  claims.subscribe({
    onChange(current, previous) {
      const claim = current ?? previous;
      if (claim === undefined) return;
      claimQueue.add(claimKey(claim));
      if (claim.spec?.volumeName) volumeQueue.add(claim.spec.volumeName);
    },
    onSynced: addOpenClaims,
  });
  volumes.subscribe({
    onChange(current, previous) {
      const { name = '' } = (current ?? previous)?.metadata ?? {};
      volumeQueue.add(name);
      const { claimRef } = (current ?? previous)?.spec ?? {};
      if (claimRef === undefined) addOpenClaims();
      else claimQueue.add(`${claimRef.namespace}/${claimRef.name}`);
    },
    onSynced() {
      for (const { metadata } of volumes.all()) volumeQueue.add(metadata.name ?? '');
    },
  });
  classes.subscribe({ onChange: addOpenClaims });
  // claims may wait for a pod that is assigned to a node
  pods.subscribe({
    onChange(current, previous) {
      if (!current?.spec?.nodeName || previous?.spec?.nodeName) return;
      for (const name of claimNames(current)) claimQueue.add(`${current.metadata.namespace}/${name}`);
    },
  });
  return {
    async close() {
      await Promise.all([claimQueue.close(), volumeQueue.close()]);
    },
  };
}

const claimNames = ({ spec }: Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);

const claimPath = ({ metadata }: PersistentVolumeClaim): string =>
  `/api/v1/namespaces/${metadata.namespace}/persistentvolumeclaims/${metadata.name}`;
const volumePath = (name = ''): string => `/api/v1/persistentvolumes/${name}`;

async function workOnClaim(parts: Parts, key: string): Promise<WorkOutcome> {
  const { claims, volumes } = parts;
  const claim = claims.get(key);
  if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return 'done';
  const { volumeName } = claim.spec ?? {};
  const volume = volumeName ? volumes.get(volumeName) : await findVolume(parts, claim);
  if (volume !== undefined && (isFor(volume, claim) || volume.spec?.claimRef === undefined))
    await bind(parts, claim, volume);
  else if (volumeName && volume === undefined) await reportMissing(parts, claim);
  return 'done';
}

/** A claim that was bound is lost without its volume. */
async function reportMissing(parts: Parts, claim: PersistentVolumeClaim): Promise<void> {
  const { bindCompleted } = annotationKeys(parts.context.dialect);
  if (claim.metadata.annotations?.[bindCompleted] === undefined || claim.status?.phase === 'Lost') return;
  await writeClaimStatus(parts, claim, { phase: 'Lost' });
  const message = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!';
  await tell(parts, claim, 'Warning', ['ClaimLost', message]);
}

async function findVolume(parts: Parts, claim: PersistentVolumeClaim): Promise<PersistentVolume | undefined> {
  const { classes, volumes, context } = parts;
  const { storageClassName = '' } = claim.spec ?? {};
  const storageClass = classes.get(storageClassName);
  if (storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && !hasConsumer(parts, claim)) {
    const message = 'waiting for first consumer to be created before binding';
    await tell(parts, claim, 'Normal', ['WaitForFirstConsumer', message]);
    return undefined;
  }
  const existing = bestVolume(claim, volumes.all());
  if (existing !== undefined) return existing;
  if (storageClassName === '') {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    await tell(parts, claim, 'Normal', ['FailedBinding', message]);
  } else if (storageClass === undefined) {
    const message = `storageclass.${apiGroup(context.dialect, 'storage')} "${storageClassName}" not found`;
    await tell(parts, claim, 'Warning', ['ProvisioningFailed', message]);
  } else if (storageClass.provisioner === labelKey(context.dialect, 'no-provisioner'))
    await tell(parts, claim, 'Normal', ['FailedBinding', `no volume plugin matched name: ${storageClass.provisioner}`]);
  else return provision(parts, claim, storageClass);
  return undefined;
}

/** A scheduler chose a node for a pod with the claim. */
function hasConsumer({ context, pods }: Parts, claim: PersistentVolumeClaim): boolean {
  const { name = '', namespace = '', annotations = {} } = claim.metadata;
  if (annotations[annotationKeys(context.dialect).selectedNode] !== undefined) return true;
  return [...pods.inNamespace(namespace)].some((pod) => pod.spec?.nodeName && claimNames(pod).includes(name));
}

async function provision(
  parts: Parts,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
): Promise<PersistentVolume | undefined> {
  const { context, volumes } = parts;
  const volume = newVolume(claim, storageClass, context.dialect);
  try {
    const created = await context.client.create('/api/v1/persistentvolumes', volume);
    volumes.put(created);
    await tell(parts, claim, 'Normal', [
      'ProvisioningSucceeded',
      `Successfully provisioned volume ${volume.metadata.name}`,
    ]);
    return created as PersistentVolume;
  } catch (error) {
    if (isConflict(error)) return context.client.find<PersistentVolume>(volumePath(volume.metadata.name));
    throw error;
  }
}

async function bind(parts: Parts, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
  const { context, claims, volumes, classes } = parts;
  const { client, dialect } = context;
  let bound = volume;
  if (!volume.spec?.claimRef?.uid) {
    const stored = await client.replace(volumePath(volume.metadata.name), boundVolume(volume, claim, dialect));
    volumes.put(stored);
    bound = stored as PersistentVolume;
  }
  const { bindCompleted, provisioner } = annotationKeys(dialect);
  let current = claim;
  if (claim.spec?.volumeName === undefined || claim.metadata.annotations?.[bindCompleted] === undefined) {
    const next = boundClaim(claim, bound, dialect);
    const storageClass = classes.get(claim.spec?.storageClassName ?? '');
    const provisioned = storageClass?.provisioner === undefined ? {} : { [provisioner]: storageClass.provisioner };
    const annotations = { ...next.metadata.annotations, ...provisioned };
    const stored = await client.replace(claimPath(claim), { ...next, metadata: { ...next.metadata, annotations } });
    claims.put(stored);
    current = stored as PersistentVolumeClaim;
  }
  const { accessModes, capacity } = bound.spec ?? {};
  const status = { ...current.status, phase: 'Bound', accessModes, capacity } as PersistentVolumeClaim['status'];
  await writeClaimStatus(parts, current, status ?? {});
}

async function writeClaimStatus(
  { context, claims }: Parts,
  claim: PersistentVolumeClaim,
  status: NonNullable<PersistentVolumeClaim['status']>,
): Promise<void> {
  await writeStatus({ client: context.client, cache: claims, path: claimPath(claim) }, claim, status);
}

const tell = (
  { events }: Parts,
  claim: PersistentVolumeClaim,
  type: Occurrence['type'],
  [reason, message]: readonly [string, string],
): Promise<void> => events.tell(claim, { type, reason, message });

async function workOnVolume(parts: Parts, name: string): Promise<WorkOutcome> {
  const { context, claims, volumes } = parts;
  const volume = volumes.get(name);
  if (volume === undefined || volume.metadata.deletionTimestamp !== undefined) return 'done';
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec ?? {};
  const claim = claimRef && claims.get(`${claimRef.namespace}/${claimRef.name}`);
  const phase = phaseOf(volume, claim);
  const status = { ...volume.status, phase } as NonNullable<PersistentVolume['status']>;
  await writeStatus({ client: context.client, cache: volumes, path: volumePath(name) }, volume, status);
  if (phase === 'Released' && persistentVolumeReclaimPolicy === 'Delete') await context.client.delete(volumePath(name));
  return 'done';
}
