// What is odd about persistent volumes and the claims to them.

import { type Dialect, labelKey } from '../../../../meta/dialect.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import { claimWarnings } from '../pod/fractional-amounts.ts';
import { nodeTermWarnings } from '../pod/node-label-warnings.ts';
import type { PersistentVolumeClaim } from './persistent-volume-claim-type.ts';
import type { PersistentVolume } from './persistent-volume-type.ts';
import { deprecatedVolumes, reportedName } from './volume-warnings.ts';

function classWarnings({ metadata }: ApiObject, dialect: Dialect): readonly string[] {
  const key = `volume.beta.${labelKey(dialect, 'storage-class')}`;
  if (!Object.hasOwn(metadata.annotations ?? {}, key)) return [];
  return [`metadata.annotations[${key}]: deprecated since v1.8; use "storageClassName" attribute instead`];
}

const deprecatedSources = ['cephfs', 'photonPersistentDisk', 'scaleIO', 'storageos', 'glusterfs', 'rbd'] as const;
const recycling =
  'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';

export function volumeObjectWarnings(object: PersistentVolume, dialect: Dialect): Warnings {
  const { spec = {} } = object;
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const recycles = spec.persistentVolumeReclaimPolicy === 'Recycle';
  return [
    ...classWarnings(object, dialect),
    ...(recycles ? [`spec.persistentVolumeReclaimPolicy: ${recycling}`] : []),
    ...warnEach(terms, (term, index) =>
      nodeTermWarnings(term, dialect, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`),
    ),
    ...deprecatedSources
      .filter((name) => spec[name] !== undefined)
      .map((name) => `spec.${reportedName(name)}: ${deprecatedVolumes[name]}`),
  ];
}

export const claimObjectWarnings = (object: PersistentVolumeClaim, dialect: Dialect): readonly string[] => [
  ...classWarnings(object, dialect),
  ...claimWarnings(object.spec ?? {}, 'spec'),
];
