// ReplicaSet: keeps a fixed number of identical pods running; usually managed by a Deployment.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, numberColumn } from '../../columns.ts';
import { scaleBySelector } from '../../subresources.ts';
import { replicaSetRules, replicaSetStatusPart } from './replica-set-rules.ts';
import { type ReplicaSet, replicaSetType } from './replica-set-type.ts';
import { selectorColumn, templateColumns } from './template-columns.ts';

const specOf = (object: ReplicaSet) => object.spec ?? {};

const statusOf = (object: ReplicaSet) => object.status ?? {};

export const replicaSet = defineKind(replicaSetType, {
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
  shortNames: ['rs'],
  categories: ['all'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: ['status'],
  quirks: { emptyFields: { spec: { replicas: 0 } } },
  columns: [
    nameColumn,
    numberColumn('Desired', 'Pods wanted.', (o) => specOf(o).replicas ?? 0),
    numberColumn('Current', 'Pods there are.', (o) => statusOf(o).replicas ?? 0),
    numberColumn('Ready', 'Pods that are ready.', (o) => statusOf(o).readyReplicas ?? 0),
    ageColumn,
    ...templateColumns((o: ReplicaSet) => specOf(o).template),
    selectorColumn((o) => specOf(o).selector),
  ],
  subresources: [scaleBySelector, replicaSetStatusPart],
  strategy: replicaSetRules,
});
