// StatefulSet: runs pods that each keep a fixed name, network identity and storage across restarts.

import { checkLabelName } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { scaleBySelector } from '../../subresources.ts';
import { statefulSetRules, statefulSetStatusPart } from './stateful-set-rules.ts';
import { type StatefulSet, statefulSetType } from './stateful-set-type.ts';
import { templateColumns } from './template-columns.ts';

const specOf = (object: StatefulSet) => object.spec ?? {};

const statusOf = (object: StatefulSet) => object.status ?? {};

export const statefulSet = defineKind(statefulSetType, {
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
  shortNames: ['sts'],
  categories: ['all'],
  verbs: allVerbs,
  checkName: checkLabelName,
  generationIgnores: ['status'],
  quirks: { emptyFields: { spec: { replicas: 0 } } },
  columns: [
    nameColumn,
    textColumn(
      'Ready',
      'Pods that are ready, of those wanted.',
      (o) => `${statusOf(o).readyReplicas ?? 0}/${specOf(o).replicas ?? 0}`,
    ),
    ageColumn,
    ...templateColumns((o: StatefulSet) => specOf(o).template),
  ],
  subresources: [scaleBySelector, statefulSetStatusPart],
  strategy: statefulSetRules,
});
