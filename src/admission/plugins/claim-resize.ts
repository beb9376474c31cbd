// PersistentVolumeClaimResize: claims grow only where their class lets them.

import { andThen } from '../../base/maybe-promise.ts';
import type { PersistentVolumeClaim } from '../../groups/core/v1/volume/persistent-volume-claim-type.ts';
import { groupName, labelKey } from '../../meta/dialect.ts';
import { compareQuantities, parseQuantity, type Quantity } from '../../meta/quantity.ts';
import type { AdmissionEngines } from '../engines.ts';
import { type AdmissionPlugin, objectsOf, refusal } from '../plugin.ts';

const sizeOf = ({ spec }: PersistentVolumeClaim) =>
  parseQuantity(spec?.resources?.requests?.['storage'] ?? '0') as Quantity;

export function persistentVolumeClaimResize({
  dialect,
  objects,
}: Pick<AdmissionEngines, 'dialect' | 'objects'>): AdmissionPlugin {
  const classes = { group: groupName(dialect, 'storage'), version: 'v1', resource: 'storageclasses' };
  const older = `volume.beta.${labelKey(dialect, 'storage-class')}`;
  const classOf = ({ metadata, spec }: PersistentVolumeClaim) =>
    metadata.annotations?.[older] ?? spec?.storageClassName ?? '';
  return {
    name: 'PersistentVolumeClaimResize',
    operations: ['UPDATE'],
    covers: objectsOf('', 'persistentvolumeclaims'),
    validate(request) {
      const claim = request.object as PersistentVolumeClaim;
      const old = request.oldObject as PersistentVolumeClaim;
      if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
      if (old.status?.phase !== 'Bound') throw refusal(request, 'Only bound persistent volume claims can be expanded');
      const name = classOf(claim) === classOf(old) ? classOf(claim) : '';
      const found = name === '' ? undefined : objects.get(classes, { namespace: '', name });
      return andThen(found, (storageClass) => {
        if (storageClass?.['allowVolumeExpansion'] === true) return;
        throw refusal(
          request,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
      });
    },
  };
}
