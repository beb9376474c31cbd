// FlowSchema: assigns matching API requests to a priority level.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { conditionsPart, flowSchemaRules } from './flow-schema-rules.ts';
import { type FlowSchema, flowSchemaType } from './flow-schema-type.ts';

const specOf = (object: FlowSchema) => object.spec ?? {};

const missingLevel = ({ status }: FlowSchema) =>
  status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?';

export const flowSchema = defineKind(flowSchemaType, {
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: ['status'],
  columns: [
    nameColumn,
    textColumn('PriorityLevel', 'Where its requests go.', (o) => specOf(o).priorityLevelConfiguration?.name ?? ''),
    textColumn('MatchingPrecedence', 'The lowest number is asked first.', (o) => specOf(o).matchingPrecedence ?? 0),
    textColumn(
      'DistinguisherMethod',
      'What tells flows apart.',
      (o) => specOf(o).distinguisherMethod?.type ?? '<none>',
    ),
    ageColumn,
    textColumn('MissingPL', 'Whether the priority level does not exist.', missingLevel),
  ],
  rows: {
    compare: (a, b) =>
      (specOf(a).matchingPrecedence ?? 0) - (specOf(b).matchingPrecedence ?? 0) ||
      ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1),
  },
  subresources: [conditionsPart],
  strategy: flowSchemaRules,
});
