// PersistentVolume: a piece of cluster storage, made by an administrator or a provisioner, that claims can bind to.

import { checkSubdomain } from '../../../../meta/names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { formatTime } from '../../../../meta/time.ts';
import { nameColumn } from '../../../../schema/columns.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import type { PartSubresource } from '../../../../schema/part-subresource.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../../columns.ts';
import { mergeStatus, statusOnly } from '../../../subresources.ts';
import { roundedIn } from '../pod/rounded-amounts.ts';
import { formatAccessModes } from './access-modes.ts';
import { validateVolume, validateVolumeUpdate } from './persistent-volume-rules.ts';
import {
  type PersistentVolume,
  persistentVolumeType,
  phaseOf,
  type Spec,
  storageClassColumn,
} from './persistent-volume-type.ts';
import { volumeObjectWarnings } from './storage-warnings.ts';

/** The defaults of what a volume is, as an object or inside of another. */
export function defaultVolumeSpec(spec: Spec): Spec {
  const { hostPath } = spec;
  return {
    ...roundedIn(spec, ['capacity']),
    ...(hostPath === undefined ? {} : { hostPath: { ...hostPath, type: hostPath.type ?? '' } }),
  };
}

function defaults(object: PersistentVolume): ApiObject {
  const { spec = {}, status } = object;
  return {
    ...object,
    spec: {
      ...defaultVolumeSpec(spec),
      persistentVolumeReclaimPolicy: spec.persistentVolumeReclaimPolicy || 'Retain',
      volumeMode: spec.volumeMode ?? 'Filesystem',
    },
    status: { ...status, phase: status?.phase || 'Pending' },
  };
}

/** A client that changes the phase need not say when. */
const volumeStatus: PartSubresource<PersistentVolume> = {
  ...statusOnly,
  merge(next, old, context) {
    const merged = mergeStatus(next, old);
    const was = old.status ?? {};
    const { phase, lastPhaseTransitionTime: time } = merged.status ?? {};
    if (time !== undefined && (phase === was.phase || time !== was.lastPhaseTransitionTime)) return merged;
    const kept = phase === was.phase ? was.lastPhaseTransitionTime : formatTime(context.clock.now());
    return kept === undefined ? merged : { ...merged, status: { ...merged.status, lastPhaseTransitionTime: kept } };
  },
};

const claimOf = ({ spec }: PersistentVolume) =>
  spec?.claimRef === undefined ? '' : `${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`;

export const persistentVolume = defineKind(persistentVolumeType, {
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  namespaced: false,
  shortNames: ['pv'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  deletion: { heldInUse: 'pv-protection' },
  quirks: { returnsDeleted: true },
  columns: [
    nameColumn,
    textColumn<PersistentVolume>('Capacity', 'Its size.', ({ spec }) => spec?.capacity?.['storage'] ?? '0'),
    textColumn<PersistentVolume>('Access Modes', 'Ways to mount it.', ({ spec }) =>
      formatAccessModes(spec?.accessModes),
    ),
    textColumn<PersistentVolume>(
      'Reclaim Policy',
      'What becomes of it after its claim.',
      ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
    ),
    textColumn<PersistentVolume>('Status', 'Where it is in its life.', phaseOf),
    textColumn<PersistentVolume>('Claim', 'The claim that has it.', claimOf),
    storageClassColumn('The class of the volume.'),
    textColumn<PersistentVolume>(
      'VolumeAttributesClass',
      'The class of its attributes.',
      ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
    ),
    textColumn<PersistentVolume>('Reason', 'Why it failed.', ({ status }) => status?.reason ?? ''),
    ageColumn,
    textColumn<PersistentVolume>(
      'VolumeMode',
      'File system or device.',
      ({ spec }) => spec?.volumeMode ?? '<unset>',
      'wide',
    ),
  ],
  subresources: [volumeStatus],
  strategy: {
    updateChecks: { meta: 2, metaChange: 0, fields: 2 },
    defaults,
    prepareForCreate: (object, { clock }) => ({
      ...object,
      status: { phase: 'Pending', lastPhaseTransitionTime: formatTime(clock.now()) },
    }),
    validate: (object, { dialect }) => validateVolume(object, dialect),
    validateUpdate: (next, old, { dialect }) => validateVolumeUpdate(next, old, dialect),
    warnings: (next, _, { dialect }) => volumeObjectWarnings(next, dialect),
  },
});
