// A definition that is deleted stays until its objects are gone.

import { apiGroup, type Dialect } from '../../../meta/dialect.ts';
import { type ApiObject, withMeta } from '../../../meta/object.ts';
import { formatTime } from '../../../meta/time.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import type { CustomResourceDefinition } from './custom-resource-definition-type.ts';

/** Holds a definition until its objects are gone. */
export const cleanupFinalizer = (dialect: Dialect): string =>
  `customresourcecleanup.${apiGroup(dialect, 'apiextensions')}`;

/** No definition goes at once: the first delete marks it. */
export const isUnmarked = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp === undefined;

const pending = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
};

export function beginDeletion(object: ApiObject, { dialect, clock }: StrategyContext): ApiObject {
  const { status } = object as CustomResourceDefinition;
  const { finalizers = [], generation = 1 } = object.metadata;
  const own = cleanupFinalizer(dialect);
  const others = (status?.conditions ?? []).filter(({ type }) => type !== pending.type);
  const condition = { ...pending, lastTransitionTime: formatTime(clock.now()) };
  const marked = withMeta(object, {
    finalizers: finalizers.includes(own) ? finalizers : [...finalizers, own],
    // compat: neither a grace period nor a new generation is counted for definitions
    deletionGracePeriodSeconds: undefined,
    generation: Math.max(1, generation - 1),
  });
  return { ...marked, status: { ...status, conditions: [...others, condition] } };
}
