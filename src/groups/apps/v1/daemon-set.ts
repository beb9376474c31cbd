// DaemonSet: runs one copy of a pod on every node that matches the pod template's placement rules.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, formatLabels, numberColumn, textColumn } from '../../columns.ts';
import { daemonSetRules, daemonSetStatusPart, generationProblem, templateGeneration } from './daemon-set-rules.ts';
import { type DaemonSet, daemonSetType } from './daemon-set-type.ts';
import { selectorColumn, templateColumns } from './template-columns.ts';

const specOf = (object: DaemonSet) => object.spec ?? {};

const statusOf = (object: DaemonSet) => object.status ?? {};

export const daemonSet = defineKind(daemonSetType, {
  kind: 'DaemonSet',
  plural: 'daemonsets',
  namespaced: true,
  shortNames: ['ds'],
  categories: ['all'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  unreadable: generationProblem,
  generationIgnores: ['status'],
  quirks: { annotationOfField: templateGeneration },
  columns: [
    nameColumn,
    numberColumn('Desired', 'Nodes that should run the pod.', (o) => statusOf(o).desiredNumberScheduled ?? 0),
    numberColumn('Current', 'Nodes that run it.', (o) => statusOf(o).currentNumberScheduled ?? 0),
    numberColumn('Ready', 'Nodes whose pod is ready.', (o) => statusOf(o).numberReady ?? 0),
    numberColumn(
      'Up-to-date',
      'Nodes whose pod has the current template.',
      (o) => statusOf(o).updatedNumberScheduled ?? 0,
    ),
    numberColumn('Available', 'Nodes whose pod has been ready long enough.', (o) => statusOf(o).numberAvailable ?? 0),
    textColumn('Node Selector', 'Labels of the nodes it runs on.', (o) =>
      formatLabels(specOf(o).template?.spec?.nodeSelector),
    ),
    ageColumn,
    ...templateColumns((o: DaemonSet) => specOf(o).template),
    selectorColumn((o) => specOf(o).selector),
  ],
  subresources: [daemonSetStatusPart],
  strategy: daemonSetRules,
});
