// Eviction: asks for a pod to be removed, subject to the disruption budgets that cover it.

import { embedded, field, struct } from '../../../schema/types.ts';
import { deleteOptions, objectMeta } from '../../meta/v1/types.ts';

const home = 'policy/v1';

export const eviction = struct(
  home,
  'Eviction',
  'Asks for a pod to be removed, subject to the disruption budgets that cover it.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    deleteOptions: field(2, embedded(deleteOptions), {
      pointer: true,
      about: "Options for the pod's deletion, such as a grace period.",
    }),
  }),
);
