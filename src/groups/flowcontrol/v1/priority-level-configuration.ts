// PriorityLevelConfiguration: sets how many API requests of one priority level may run at once.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { conditionsPart } from './flow-schema-rules.ts';
import {
  type PriorityLevelConfiguration,
  priorityLevelConfigurationType,
} from './priority-level-configuration-type.ts';
import { priorityLevelRules } from './priority-level-rules.ts';

const limitedOf = (object: PriorityLevelConfiguration) => object.spec?.limited ?? {};

const queuingOf = (object: PriorityLevelConfiguration) => limitedOf(object).limitResponse?.queuing ?? {};

export const priorityLevelConfiguration = defineKind(priorityLevelConfigurationType, {
  kind: 'PriorityLevelConfiguration',
  plural: 'prioritylevelconfigurations',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: ['status'],
  columns: [
    nameColumn,
    textColumn('Type', 'Whether it has a limit.', (o) => o.spec?.type ?? ''),
    textColumn(
      'NominalConcurrencyShares',
      'Its share of the concurrency.',
      (o) => limitedOf(o).nominalConcurrencyShares ?? '<none>',
    ),
    textColumn('Queues', 'Number of queues.', (o) => queuingOf(o).queues ?? '<none>'),
    textColumn('HandSize', 'Queues dealt to a flow.', (o) => queuingOf(o).handSize ?? '<none>'),
    textColumn('QueueLengthLimit', 'Most requests in a queue.', (o) => queuingOf(o).queueLengthLimit ?? '<none>'),
    ageColumn,
  ],
  subresources: [conditionsPart],
  strategy: priorityLevelRules,
});
