// ResourcePoolStatusRequest: asks once for device counts of a driver's pools; create a new one to refresh.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { immutable } from '../../rules.ts';
import { statusOnly } from '../../subresources.ts';
import { validatePoolStatusSpec, validatePoolStatusUpdate } from './pool-status-rules.ts';
import { resourcePoolStatusRequestType } from './resource-pool-status-request-type.ts';

export const resourcePoolStatusRequest = defineKind(resourcePoolStatusRequestType, {
  kind: 'ResourcePoolStatusRequest',
  plural: 'resourcepoolstatusrequests',
  namespaced: false,
  verbs: allVerbs,
  deprecated: { since: 39, removed: 42 },
  checkName: checkSubdomain,
  columns: [nameColumn, ageColumn],
  subresources: [{ ...statusOnly, validateUpdate: validatePoolStatusUpdate }],
  strategy: {
    updateChecks: { meta: 0 },
    validateCreate: (object) => validatePoolStatusSpec(object.spec ?? {}),
    validateUpdate: (next, old) => immutable('spec', next['spec'], old['spec']),
  },
});
