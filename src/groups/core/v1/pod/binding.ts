// Binding: assigns a pod to a node; created by schedulers through the pods/binding subresource.

import { checkSubdomain } from '../../../../meta/names.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import { bindingType } from './binding-type.ts';
import { bindPod } from './pod-binding.ts';

/** The older way: posted to the namespace, naming the pod in its metadata. */
export const binding = defineKind(bindingType, {
  kind: 'Binding',
  plural: 'bindings',
  namespaced: true,
  verbs: ['create'],
  checkName: checkSubdomain,
  action: bindPod,
});
