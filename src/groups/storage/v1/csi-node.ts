// CSINode: lists the CSI drivers installed on a node; its name equals the node's name.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'storage/v1';

export const volumeNodeResources = struct(home, 'VolumeNodeResources', 'Volume limits of a driver on one node.', {
  count: field(1, int32, {
    pointer: true,
    about: 'Most volumes of the driver usable on the node at once; unset means no limit.',
  }),
});

export const csiNodeDriver = struct(home, 'CSINodeDriver', 'One CSI driver as installed on a node.', {
  name: field(1, string, { always: true, required: true, about: 'Name of the driver, as in its CSIDriver object.' }),
  nodeID: field(2, string, { always: true, required: true, about: 'How the driver itself identifies this node.' }),
  topologyKeys: field(3, listOf(string), {
    always: true,
    listType: 'atomic',
    about: 'Node label keys that the driver uses to express where volumes are reachable.',
  }),
  allocatable: field(4, volumeNodeResources, {
    pointer: true,
    about: 'How many volumes the driver can serve on this node.',
  }),
});

export const csiNodeSpec = struct(home, 'CSINodeSpec', 'Drivers registered on a node.', {
  drivers: field(1, listOf(csiNodeDriver), {
    always: true,
    required: true,
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge',
    patchMergeKey: 'name',
    about: 'One entry per driver name; may be empty when none is installed.',
  }),
});

export const csiNodeType = struct(
  home,
  'CSINode',
  "Lists the CSI drivers installed on a node; its name equals the node's name.",
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, csiNodeSpec, { always: true, required: true, about: 'The drivers registered on the node.' }),
  },
);

export type CSINode = ApiObject & Infer<typeof csiNodeType>;

export const csiNode: KindDefinition = {
  kind: 'CSINode',
  plural: 'csinodes',
  namespaced: false,
  verbs: allVerbs,
  type: csiNodeType,
  checkName: checkSubdomain,
  conditionalUpdateOnly: true,
};
