// StorageClass: a named way to create volumes on demand.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { bool, field, type Infer, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { topologySelectorTerm } from '../../core/v1/selectors.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'storage/v1';

export const storageClassType = struct(home, 'StorageClass', 'A named way to create volumes on demand.', {
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  provisioner: field(2, string, {
    always: true,
    required: true,
    about: 'Name of the driver that creates the volumes; immutable.',
  }),
  parameters: field(3, mapOf(string), { about: 'Driver-specific settings for new volumes; immutable.' }),
  reclaimPolicy: field(4, string, {
    pointer: true,
    enum: ['Delete', 'Recycle', 'Retain'],
    about: 'What happens to a created volume after its claim is gone: Delete (default) or Retain.',
  }),
  mountOptions: field(5, listOf(string), {
    listType: 'atomic',
    about: 'Mount flags put on created volumes, such as "ro"; not checked beforehand.',
  }),
  allowVolumeExpansion: field(6, bool, { pointer: true, about: 'Whether claims of this class may be enlarged later.' }),
  volumeBindingMode: field(7, string, {
    pointer: true,
    enum: ['Immediate', 'WaitForFirstConsumer'],
    about: 'Immediate (default) binds at once; WaitForFirstConsumer waits until a pod uses the claim.',
  }),
  allowedTopologies: field(8, listOf(topologySelectorTerm), {
    listType: 'atomic',
    about: 'Restricts where volumes may be created, by node label terms; empty means anywhere.',
  }),
});

export type StorageClass = ApiObject & Infer<typeof storageClassType>;

export const storageClass: KindDefinition = {
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
  shortNames: ['sc'],
  verbs: allVerbs,
  type: storageClassType,
  checkName: checkSubdomain,
};
