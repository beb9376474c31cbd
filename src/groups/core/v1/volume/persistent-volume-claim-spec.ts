// The storage that a claim asks for.

import { field, listOf, string, struct } from '../../../../schema/types.ts';
import { labelSelector } from '../../../meta/v1/label-selector.ts';
import { volumeResourceRequirements } from '../pod/resources.ts';
import { typedLocalObjectReference, typedObjectReference } from '../references.ts';

const home = 'core/v1';

export const persistentVolumeClaimSpec = struct(
  home,
  'PersistentVolumeClaimSpec',
  'The storage that a claim asks for.',
  () => ({
    accessModes: field(1, listOf(string), {
      goType: '[]PersistentVolumeAccessMode',
      enum: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'],
      listType: 'atomic',
      about: 'Access the volume must offer: ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod.',
    }),
    selector: field(4, labelSelector, {
      pointer: true,
      about: 'Labels a volume must have to be bound; prevents dynamic provisioning.',
    }),
    resources: field(2, volumeResourceRequirements, {
      always: true,
      about: 'Wanted size, under requests.storage; may be raised later if the class allows expansion.',
    }),
    volumeName: field(3, string, { about: 'Name of the bound volume; set it to ask for one particular volume.' }),
    storageClassName: field(5, string, {
      pointer: true,
      about: 'StorageClass to use; the cluster default if left out, "" for no class at all.',
    }),
    volumeMode: field(6, string, {
      goType: 'PersistentVolumeMode',
      pointer: true,
      enum: ['Block', 'Filesystem'],
      about: 'Filesystem (default) for a mounted file system, or Block for a raw device.',
    }),
    dataSource: field(7, typedLocalObjectReference, {
      pointer: true,
      about: 'Snapshot or claim in the same namespace that the new volume is filled from.',
    }),
    dataSourceRef: field(8, typedObjectReference, {
      pointer: true,
      about: 'Object the new volume is filled from; also allows custom kinds, unlike dataSource.',
    }),
    volumeAttributesClassName: field(9, string, {
      pointer: true,
      about: 'VolumeAttributesClass to apply to the volume; may be changed later, only for CSI.',
    }),
  }),
);
