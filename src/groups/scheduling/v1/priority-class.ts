// PriorityClass: gives a name to a pod priority number.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { bool, field, type Infer, int32, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'scheduling/v1';

export const priorityClassType = struct(home, 'PriorityClass', 'Gives a name to a pod priority number.', {
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  value: field(2, int32, {
    always: true,
    about: 'The priority; higher is more important. Own classes may use at most 1000000000. Immutable.',
  }),
  globalDefault: field(3, bool, {
    about: 'When true, pods that name no class get this one; only one class should set it.',
  }),
  description: field(4, string, { about: 'Free text telling when to use this class.' }),
  preemptionPolicy: field(5, string, {
    pointer: true,
    enum: ['Never', 'PreemptLowerPriority'],
    about: 'PreemptLowerPriority (default) may evict less important pods; Never only waits for room.',
  }),
});

export type PriorityClass = ApiObject & Infer<typeof priorityClassType>;

export const priorityClass: KindDefinition = {
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
  shortNames: ['pc'],
  verbs: allVerbs,
  type: priorityClassType,
  checkName: checkSubdomain,
};
