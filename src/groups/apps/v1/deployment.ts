// Deployment: keeps a number of identical pods running and rolls out template changes gradually.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { scaleBySelector } from '../../subresources.ts';
import { deploymentRules, deploymentStatusPart, rollbackProblem } from './deployment-rules.ts';
import { type Deployment, deploymentType } from './deployment-type.ts';
import { selectorColumn, templateColumns } from './template-columns.ts';

const specOf = (object: Deployment) => object.spec ?? {};

const statusOf = (object: Deployment) => object.status ?? {};

export const deployment = defineKind(deploymentType, {
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  shortNames: ['deploy'],
  categories: ['all'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  unreadable: rollbackProblem,
  generationIgnores: ['status'],
  quirks: { generationFollows: 'annotations', emptyFields: { spec: { replicas: 0 } } },
  columns: [
    nameColumn,
    textColumn(
      'Ready',
      'Pods that are ready, of those wanted.',
      (o) => `${statusOf(o).readyReplicas ?? 0}/${specOf(o).replicas ?? 0}`,
    ),
    textColumn('Up-to-date', 'Pods made from the current template.', (o) => statusOf(o).updatedReplicas ?? 0),
    textColumn('Available', 'Pods that have been ready long enough.', (o) => statusOf(o).availableReplicas ?? 0),
    ageColumn,
    ...templateColumns((o: Deployment) => specOf(o).template),
    selectorColumn((o) => specOf(o).selector, ''),
  ],
  subresources: [scaleBySelector, deploymentStatusPart],
  strategy: deploymentRules,
});
