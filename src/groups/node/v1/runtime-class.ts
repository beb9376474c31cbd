// RuntimeClass: names a container runtime setup that pods choose with runtimeClassName.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, listOf, mapOf, quantity, string, struct } from '../../../schema/types.ts';
import { toleration } from '../../core/v1/affinity.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'node/v1';

export const overhead = struct(home, 'Overhead', 'Resources that the runtime itself needs for each pod.', {
  podFixed: field(1, mapOf(quantity), { about: 'Fixed amounts per pod, by resource name, such as memory 120Mi.' }),
});

export const scheduling = struct(home, 'Scheduling', 'Places pods of a runtime class on nodes that support it.', {
  nodeSelector: field(1, mapOf(string), {
    mapType: 'atomic',
    about: "Node labels required, merged with the pod's own; a contradiction rejects the pod.",
  }),
  tolerations: field(2, listOf(toleration), {
    listType: 'atomic',
    about: 'Tolerations added to every pod of this class.',
  }),
});

export const runtimeClassType = struct(
  home,
  'RuntimeClass',
  'Names a container runtime setup that pods choose with runtimeClassName.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    handler: field(2, string, {
      always: true,
      required: true,
      about: 'Runtime configuration on the node to use, as a lowercase DNS label; immutable.',
    }),
    overhead: field(3, overhead, { pointer: true, about: 'Extra resources counted for every pod of this class.' }),
    scheduling: field(4, scheduling, {
      pointer: true,
      about: 'Which nodes support this class; unset means all of them.',
    }),
  },
);

export type RuntimeClass = ApiObject & Infer<typeof runtimeClassType>;

export const runtimeClass: KindDefinition = {
  kind: 'RuntimeClass',
  plural: 'runtimeclasses',
  namespaced: false,
  verbs: allVerbs,
  type: runtimeClassType,
  checkName: checkSubdomain,
  conditionalUpdateOnly: true,
};
