// HorizontalPodAutoscaler: changes a workload's replica count automatically to keep metrics near their targets.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { Infer } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { autoscalerRules, autoscalerStatusPart } from './autoscaler-rules.ts';
import {
  type crossVersionObjectReference,
  type HorizontalPodAutoscaler,
  horizontalPodAutoscalerType,
} from './horizontal-pod-autoscaler-type.ts';
import { metricsText } from './metrics.ts';

const specOf = (object: HorizontalPodAutoscaler) => object.spec ?? {};

const statusOf = (object: HorizontalPodAutoscaler) => object.status ?? {};

const referenceText = ({ kind = '', name = '' }: Infer<typeof crossVersionObjectReference> = {}) => `${kind}/${name}`;

export const horizontalPodAutoscaler = defineKind(horizontalPodAutoscalerType, {
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
  shortNames: ['hpa'],
  categories: ['all'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  columns: [
    nameColumn,
    textColumn('Reference', 'What is scaled.', (o) => referenceText(specOf(o).scaleTargetRef)),
    textColumn('Targets', 'Last reading and target of each metric.', (o) =>
      metricsText(specOf(o).metrics ?? [], statusOf(o).currentMetrics ?? []),
    ),
    textColumn('MinPods', 'Fewest pods.', (o) => String(specOf(o).minReplicas ?? '<unset>')),
    textColumn('MaxPods', 'Most pods.', (o) => specOf(o).maxReplicas ?? 0),
    textColumn('Replicas', 'Pods there are.', (o) => statusOf(o).currentReplicas ?? 0),
    ageColumn,
  ],
  subresources: [autoscalerStatusPart],
  strategy: autoscalerRules,
});
