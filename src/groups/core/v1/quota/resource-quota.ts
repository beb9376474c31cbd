// ResourceQuota: caps the total use of resources and number of objects in a namespace.

import { checkSubdomain } from '../../../../meta/names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { nameColumn } from '../../../../schema/columns.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../../columns.ts';
import { statusOnly } from '../../../subresources.ts';
import { roundedIn } from '../pod/rounded-amounts.ts';
import { validateQuota, validateQuotaStatus, validateQuotaUpdate } from './resource-quota-rules.ts';
import { type ResourceQuota, resourceQuotaType } from './resource-quota-type.ts';

function defaults(object: ResourceQuota): ApiObject {
  const { spec, status } = object;
  const caps = spec && roundedIn(spec, ['hard']);
  const use = status && roundedIn(status, ['hard', 'used']);
  if (caps === spec && use === status) return object;
  return { ...object, ...(caps ? { spec: caps } : {}), ...(use ? { status: use } : {}) };
}

/** What is used of what there is, of limits or of everything else. */
function usage({ status = {} }: ResourceQuota, ofLimits: boolean): string {
  const names = Object.keys(status.hard ?? {}).sort();
  return names
    .filter((name) => name.startsWith('limits.') === ofLimits)
    .map((name) => `${name}: ${status.used?.[name] ?? '0'}/${status.hard?.[name]}`)
    .join(', ');
}

export const resourceQuota = defineKind(resourceQuotaType, {
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
  shortNames: ['quota'],
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true },
  columns: [
    nameColumn,
    textColumn<ResourceQuota>('Request', 'What is requested and counted, of what there is.', (o) => usage(o, false)),
    textColumn<ResourceQuota>('Limit', 'The sum of limits, of what there is.', (o) => usage(o, true)),
    ageColumn,
  ],
  subresources: [{ ...statusOnly, validateUpdate: (next, _, { dialect }) => validateQuotaStatus(next, dialect) }],
  strategy: {
    defaults,
    updateChecks: { meta: 0 },
    validate: (object, { dialect }) => validateQuota(object, dialect),
    validateUpdate: (next, old) => validateQuotaUpdate(next, old),
  },
});
