// Type of Binding: its fields, and what its rules need to know of it.

import { field, struct } from '../../../../schema/types.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { objectReference } from '../references.ts';

const home = 'core/v1';

export const bindingType = struct(
  home,
  'Binding',
  'Assigns a pod to a node; created by schedulers through the pods/binding subresource.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    target: field(2, objectReference, { always: true, required: true, about: 'Object to bind to, normally a Node.' }),
  }),
);
