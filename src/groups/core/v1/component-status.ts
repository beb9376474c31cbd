// ComponentStatus: health of a control plane component. Deprecated since 1.19.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { ComponentHealth } from '../../../schema/resource.ts';
import { field, type Infer, listOf, string, struct } from '../../../schema/types.ts';
import { textColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'core/v1';

const componentCondition = struct(home, 'ComponentCondition', 'One named check on the health of a component.', () => ({
  type: field(1, string, {
    goType: 'ComponentConditionType',
    always: true,
    required: true,
    about: 'Name of the condition; only Healthy is used.',
  }),
  status: field(2, string, {
    goType: 'ConditionStatus',
    always: true,
    required: true,
    about: 'Outcome of the condition: True, False or Unknown.',
  }),
  message: field(3, string, { about: 'Readable details about the condition.' }),
  error: field(4, string, { about: 'Error code of a failed health check.' }),
}));

const componentStatusType = struct(
  home,
  'ComponentStatus',
  'Health of a control plane component. Deprecated since 1.19.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    conditions: field(2, listOf(componentCondition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Named checks on the health of the component.',
    }),
  }),
);

type ComponentStatus = ApiObject & Infer<typeof componentStatusType>;

const healthOf = ({ conditions = [] }: ComponentStatus) => conditions.find(({ type }) => type === 'Healthy') ?? {};

function shown({ name, error }: ComponentHealth): ApiObject {
  const healthy = error === undefined;
  const condition = { type: 'Healthy', status: healthy ? 'True' : 'False', message: error ?? 'ok' };
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
}

const words: Readonly<Record<string, string>> = { True: 'Healthy', False: 'Unhealthy' };

export const componentStatus = defineKind(componentStatusType, {
  kind: 'ComponentStatus',
  plural: 'componentstatuses',
  namespaced: false,
  shortNames: ['cs'],
  verbs: ['get', 'list'],
  checkName: checkSubdomain,
  deprecated: { since: 19 },
  columns: [
    nameColumn,
    textColumn<ComponentStatus>('Status', 'Whether it works.', (o) => words[healthOf(o).status ?? ''] ?? 'Unknown'),
    textColumn<ComponentStatus>('Message', 'What it says.', (o) => healthOf(o).message ?? ''),
    textColumn<ComponentStatus>('Error', 'What is wrong.', (o) => healthOf(o).error ?? ''),
  ],
  computed: { missing: 'componentstatus', objects: async (call) => (await call.components()).map(shown) },
});
