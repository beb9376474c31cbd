// CSIStorageCapacity: free storage that a CSI driver reports for one storage class and group of nodes.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, quantity, string, struct } from '../../../schema/types.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'storage/v1';

export const csiStorageCapacityType = struct(
  home,
  'CSIStorageCapacity',
  'Free storage that a CSI driver reports for one storage class and group of nodes.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    nodeTopology: field(2, labelSelector, {
      pointer: true,
      about: 'Nodes that can reach the storage; unset means none, empty means all.',
    }),
    storageClassName: field(3, string, {
      always: true,
      required: true,
      about: 'Storage class the figures are for; immutable.',
    }),
    capacity: field(4, quantity, {
      pointer: true,
      about: 'Free space the driver reports, as a quantity; unset when unknown.',
    }),
    maximumVolumeSize: field(5, quantity, {
      pointer: true,
      about: 'Largest single volume that could be created now, as a quantity.',
    }),
  },
);

export type CSIStorageCapacity = ApiObject & Infer<typeof csiStorageCapacityType>;

export const csiStorageCapacity: KindDefinition = {
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
  verbs: allVerbs,
  type: csiStorageCapacityType,
  checkName: checkSubdomain,
};
