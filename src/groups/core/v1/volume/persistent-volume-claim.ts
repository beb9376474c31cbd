// PersistentVolumeClaim: a request for storage that is bound to a fitting persistent volume.

import { checkSubdomain } from '../../../../meta/names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { nameColumn } from '../../../../schema/columns.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import type { Infer } from '../../../../schema/types.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../../columns.ts';
import { statusOnly } from '../../../subresources.ts';
import { roundedIn } from '../pod/rounded-amounts.ts';
import { formatAccessModes } from './access-modes.ts';
import {
  alignSources,
  validateClaimSpec,
  validateClaimStatus,
  validateClaimUpdate,
} from './persistent-volume-claim-rules.ts';
import {
  defaultClaimSpec,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
} from './persistent-volume-claim-type.ts';
import { phaseOf, storageClassColumn } from './persistent-volume-type.ts';
import { claimObjectWarnings } from './storage-warnings.ts';

/** The defaults of a claim, and of one inside of another object. */
export function defaultClaimParts({ spec = {}, status = {} }: Infer<typeof persistentVolumeClaimType>) {
  return {
    spec: defaultClaimSpec(spec),
    status: { ...roundedIn(status, ['capacity', 'allocatedResources']), phase: status.phase || 'Pending' },
  };
}

const defaults = (object: PersistentVolumeClaim): ApiObject => ({ ...object, ...defaultClaimParts(object) });

/** What a claim has is shown once it has it. */
const whenBound = (show: (claim: PersistentVolumeClaim) => string) => (claim: PersistentVolumeClaim) =>
  claim.spec?.volumeName ? show(claim) : '';

export const persistentVolumeClaim = defineKind(persistentVolumeClaimType, {
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
  shortNames: ['pvc'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  deletion: { heldInUse: 'pvc-protection' },
  quirks: { returnsDeleted: true },
  columns: [
    nameColumn,
    textColumn<PersistentVolumeClaim>('Status', 'Whether it is bound.', phaseOf),
    textColumn<PersistentVolumeClaim>('Volume', 'The volume that it has.', ({ spec }) => spec?.volumeName ?? ''),
    textColumn<PersistentVolumeClaim>(
      'Capacity',
      'The size that it got.',
      whenBound(({ status }) => status?.capacity?.['storage'] ?? '0'),
    ),
    textColumn<PersistentVolumeClaim>(
      'Access Modes',
      'Ways to mount the volume.',
      whenBound(({ status }) => formatAccessModes(status?.accessModes)),
    ),
    storageClassColumn('The class that was asked for.'),
    textColumn<PersistentVolumeClaim>(
      'VolumeAttributesClass',
      'The class of attributes that was asked for.',
      ({ spec }) => spec?.volumeAttributesClassName ?? '<unset>',
    ),
    ageColumn,
    textColumn<PersistentVolumeClaim>(
      'VolumeMode',
      'File system or device.',
      ({ spec }) => spec?.volumeMode ?? '<unset>',
      'wide',
    ),
  ],
  subresources: [{ ...statusOnly, validateUpdate: (next, _, { dialect }) => validateClaimStatus(next, dialect) }],
  strategy: {
    defaults,
    prepareForCreate(object, { dialect }) {
      const spec = alignSources(object.spec ?? {}, dialect);
      return { ...object, spec, status: { phase: 'Pending' } };
    },
    prepareForUpdate: (next, old, { dialect }) => ({
      ...next,
      spec: alignSources(next.spec ?? {}, dialect, old.spec),
    }),
    validateCreate: (object) => validateClaimSpec(object.spec ?? {}),
    validateUpdate: (next, old, { dialect }) => [
      ...validateClaimSpec(next.spec ?? {}, 'spec', old.spec),
      ...validateClaimUpdate(next, old, dialect),
    ],
    warnings: (next, _, { dialect }) => claimObjectWarnings(next, dialect),
  },
});
