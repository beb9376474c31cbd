// Binding: assigns a pod to a node; created by schedulers through the pods/binding subresource.

import { checkSubdomain } from '../../../meta/names.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { bindPod } from './pod-binding.ts';
import { objectReference } from './references.ts';

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

/** The older way: posted to the namespace, naming the pod in its metadata. */
export const binding = defineKind(bindingType, {
  kind: 'Binding',
  plural: 'bindings',
  namespaced: true,
  verbs: ['create'],
  checkName: checkSubdomain,
  action: bindPod,
});
