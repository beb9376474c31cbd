// ComponentStatus: health of a control plane component. Deprecated since 1.19.

import { field, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'core/v1';

export const componentCondition = struct(home, 'ComponentCondition', 'One named check on the health of a component.', {
  type: field(1, string, { always: true, required: true, about: 'Name of the condition; only Healthy is used.' }),
  status: field(2, string, {
    always: true,
    required: true,
    about: 'Outcome of the condition: True, False or Unknown.',
  }),
  message: field(3, string, { about: 'Readable details about the condition.' }),
  error: field(4, string, { about: 'Error code of a failed health check.' }),
});

export const componentStatusType = struct(
  home,
  'ComponentStatus',
  'Health of a control plane component. Deprecated since 1.19.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    conditions: field(2, listOf(componentCondition), {
      listType: 'map',
      mapKeys: ['type'],
      patchStrategy: 'merge',
      patchMergeKey: 'type',
      about: 'Named checks on the health of the component.',
    }),
  },
);
