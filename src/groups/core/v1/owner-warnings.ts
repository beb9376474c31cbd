// Warnings of kinds that make pods from a template.

import type { ApiObject } from '../../../meta/object.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import type { PodTemplateSpec } from './pod/pod-spec.ts';
import { hostNameWarnings, templateWarnings, usedInPods } from './pod/pod-warnings.ts';

interface OwnerOptions<T> {
  readonly template: (object: T) => PodTemplateSpec | undefined;
  /** Whether names of the pods begin with the name of the object, and so become names of hosts. */
  readonly namesHosts?: true;
  /** Whether a change is warned of by what the template was before it. */
  readonly warnsOfOld?: true;
}

/** The template is looked into when it is new or the object asks for something else than before. */
export const isNewOrChanged = (next: ApiObject, old: ApiObject | undefined): boolean =>
  old === undefined || next.metadata.generation !== old.metadata.generation;

export function ownerWarnings<T extends ApiObject>({
  template,
  namesHosts,
  warnsOfOld,
}: OwnerOptions<T>): NonNullable<Strategy<T>['warnings']> {
  return (next, old, { dialect }) => [
    ...(namesHosts && old === undefined ? hostNameWarnings(next, usedInPods) : []),
    ...(isNewOrChanged(next, old)
      ? templateWarnings(template((warnsOfOld && old) || next), dialect, 'spec.template')
      : []),
  ];
}
