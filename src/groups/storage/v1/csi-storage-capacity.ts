// CSIStorageCapacity: free storage that a CSI driver reports for one storage class and group of nodes.

import { invalidValue, unchanged } from '../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { parseQuantity } from '../../../meta/quantity.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameAndCreation } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, quantity, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { nodeSelectorWarnings } from '../../core/v1/pod/node-label-warnings.ts';
import { labelSelector, validateLabelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'storage/v1';

const csiStorageCapacityType = struct(
  home,
  'CSIStorageCapacity',
  'Free storage that a CSI driver reports for one storage class and group of nodes.',
  () => ({
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
  }),
);

type CSIStorageCapacity = ApiObject & Infer<typeof csiStorageCapacityType>;

function validate(object: CSIStorageCapacity): readonly FieldError[] {
  const { nodeTopology, storageClassName: name = '', capacity } = object;
  const isNegative = (parseQuantity(capacity ?? '0')?.digits ?? 0n) < 0n;
  return [
    ...validateLabelSelector(nodeTopology, 'nodeTopology'),
    ...checkSubdomain(name).map((e) => invalidValue('storageClassName', name, e)),
    ...(isNegative ? [invalidValue('capacity', capacity, 'must be greater than or equal to 0')] : []),
  ];
}

export const csiStorageCapacity = defineKind(csiStorageCapacityType, {
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { conditionalUpdateOnly: true },
  columns: nameAndCreation,
  rows: { noneIsNull: true },
  strategy: {
    updateChecks: { newFirst: true },
    validate,
    validateUpdate: (next, old) =>
      ['nodeTopology', 'storageClassName'].flatMap((field) => unchanged(field, next[field], old[field])),
    warnings: (next, _, { dialect }) => nodeSelectorWarnings(next.nodeTopology ?? {}, dialect, 'nodeTopology'),
  },
});
