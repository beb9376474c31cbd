// Which volume fits a claim, and what both of them say once they are bound.

import type { PersistentVolumeClaim } from '../../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import type { PersistentVolume } from '../../../groups/core/v1/volume/persistent-volume-type.ts';
import { selects } from '../../../groups/meta/v1/label-selector.ts';
import type { StorageClass } from '../../../groups/storage/v1/storage-class.ts';
import { type Dialect, partKey } from '../../../meta/dialect.ts';
import { compareQuantities, parseQuantity } from '../../../meta/quantity.ts';

export const annotationKeys = (dialect: Dialect) => ({
  bindCompleted: partKey(dialect, 'pv', 'bind-completed'),
  boundByController: partKey(dialect, 'pv', 'bound-by-controller'),
  provisionedBy: partKey(dialect, 'pv', 'provisioned-by'),
  provisioner: partKey(dialect, 'volume', 'storage-provisioner'),
  selectedNode: partKey(dialect, 'volume', 'selected-node'),
});

export const claimKey = ({ metadata }: PersistentVolumeClaim): string => `${metadata.namespace}/${metadata.name}`;

/** Whether a volume is reserved for the claim, or bound to it. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec ?? {};
  if (claimRef?.name !== metadata.name || claimRef?.namespace !== metadata.namespace) return false;
  return !claimRef?.uid || claimRef.uid === metadata.uid;
}

const requestOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '0';

function compareAmounts(a: string, b: string): number {
  const [first, second] = [parseQuantity(a), parseQuantity(b)];
  return first === undefined || second === undefined ? 0 : compareQuantities(first, second);
}

const capacityOf = ({ spec }: PersistentVolume): string => spec?.capacity?.['storage'] ?? '0';

function fits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { accessModes = [], volumeMode, storageClassName = '' } = volume.spec ?? {};
  const claimSpec = claim.spec ?? {};
  const hasModes = (claimSpec.accessModes ?? []).every((mode) => accessModes.includes(mode));
  const isEqualMode = (volumeMode ?? 'Filesystem') === (claimSpec.volumeMode ?? 'Filesystem');
  if (!hasModes || !isEqualMode || volume.metadata.deletionTimestamp !== undefined) return false;
  if (compareAmounts(capacityOf(volume), requestOf(claim)) < 0) return false;
  if (isFor(volume, claim)) return true;
  if (volume.spec?.claimRef !== undefined || storageClassName !== (claimSpec.storageClassName ?? '')) return false;
  return claimSpec.selector === undefined || selects(claimSpec.selector, volume.metadata.labels);
}

/** One that is reserved for the claim, else the smallest one that is large enough. */
export function bestVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
): PersistentVolume | undefined {
  const fitting = [...volumes].filter((volume) => fits(volume, claim));
  const reserved = fitting.find((volume) => isFor(volume, claim));
  const modes = ({ spec }: PersistentVolume) => (spec?.accessModes ?? []).length;
  const bySize = (a: PersistentVolume, b: PersistentVolume) =>
    modes(a) - modes(b) || compareAmounts(capacityOf(a), capacityOf(b));
  return reserved ?? fitting.sort(bySize)[0];
}

export function boundVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  dialect: Dialect,
): PersistentVolume {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const wasReserved = volume.spec?.claimRef !== undefined;
  const { boundByController } = annotationKeys(dialect);
  return {
    ...volume,
    metadata: {
      ...volume.metadata,
      annotations: { ...volume.metadata.annotations, ...(wasReserved ? {} : { [boundByController]: 'yes' }) },
    },
    spec: {
      ...volume.spec,
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
    },
  } as PersistentVolume;
}

export function boundClaim(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
  dialect: Dialect,
): PersistentVolumeClaim {
  const { bindCompleted, boundByController } = annotationKeys(dialect);
  const wasNamed =
    claim.spec?.volumeName !== undefined && claim.metadata.annotations?.[boundByController] === undefined;
  return {
    ...claim,
    metadata: {
      ...claim.metadata,
      annotations: {
        ...claim.metadata.annotations,
        [bindCompleted]: 'yes',
        ...(wasNamed ? {} : { [boundByController]: 'yes' }),
      },
    },
    spec: { ...claim.spec, volumeName: volume.metadata.name },
  } as PersistentVolumeClaim;
}

/** What a provisioner makes for a claim. */
export function newVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  dialect: Dialect,
): PersistentVolume {
  const { provisioner = '', reclaimPolicy = 'Delete', mountOptions } = storageClass;
  const name = `pvc-${claim.metadata.uid}`;
  const { accessModes, volumeMode = 'Filesystem' } = claim.spec ?? {};
  return boundVolume(
    {
      kind: 'PersistentVolume',
      apiVersion: 'v1',
      metadata: { name, annotations: { [annotationKeys(dialect).provisionedBy]: provisioner } },
      spec: {
        ...{ accessModes, volumeMode, capacity: { storage: requestOf(claim) } },
        ...{ persistentVolumeReclaimPolicy: reclaimPolicy, storageClassName: storageClass.metadata.name },
        ...(mountOptions === undefined ? {} : { mountOptions }),
        csi: { driver: provisioner.replace('/', '.'), volumeHandle: name },
      },
    } as PersistentVolume,
    claim,
    dialect,
  );
}

/** The phase of a volume whose claim is known to be there or not. */
export function phaseOf({ spec }: PersistentVolume, claim: PersistentVolumeClaim | undefined): string {
  const { claimRef } = spec ?? {};
  if (!claimRef?.uid) return 'Available';
  return claim?.metadata.uid === claimRef.uid ? 'Bound' : 'Released';
}
