// HorizontalPodAutoscaler: changes a workload's replica count automatically to hold average CPU use near a target.

import type { Dialect } from '../../../meta/dialect.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { convertedKind } from '../../converted-kind.ts';
import { carriedText } from '../carried.ts';
import { horizontalPodAutoscaler as stored } from '../v2/horizontal-pod-autoscaler.ts';
import { conversion } from './conversion.ts';
import { type HorizontalPodAutoscaler, horizontalPodAutoscalerType } from './horizontal-pod-autoscaler-type.ts';

const defaultPercentage = 80;

/** What is to be reached where a client names no metric at all. */
function withTarget(object: HorizontalPodAutoscaler, dialect: Dialect): HorizontalPodAutoscaler {
  const { spec = {} } = object;
  if (spec.targetCPUUtilizationPercentage !== undefined || carriedText(object, dialect, 'metrics')) return object;
  return { ...object, spec: { ...spec, targetCPUUtilizationPercentage: defaultPercentage } };
}

/** Stored as the newer version; what a client leaves out is filled in there, but for what managers of this one own. */
export const horizontalPodAutoscaler: KindDefinition = convertedKind(stored, {
  type: horizontalPodAutoscalerType,
  conversion,
  defaults: (object: HorizontalPodAutoscaler, { dialect }) =>
    withTarget({ ...object, spec: { minReplicas: 1, ...object.spec } }, dialect),
});
