// ResourceClaim: asks for devices such as GPUs for use by pods of its namespace.

import { checkSubdomain } from '../../../meta/names.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn, textColumn } from '../../columns.ts';
import { immutableByMeaning } from '../../rules.ts';
import { mergeStatusAlone, statusAlone } from '../../subresources.ts';
import { validateClaimStatus, withoutReleased } from './claim-status-rules.ts';
import { resourceClaimSpec } from './device-claim.ts';
import { defaultClaimSpec, validateClaimSpec } from './device-claim-rules.ts';
import { type ResourceClaim, resourceClaimType } from './resource-claim-type.ts';

function stateOf({ metadata, status = {} }: ResourceClaim): string {
  const deleted = metadata.deletionTimestamp === undefined ? [] : ['deleted'];
  if (!status.allocation) return [...deleted, ...(deleted.length > 0 ? [] : ['pending'])].join(',');
  return [...deleted, 'allocated', ...(status.reservedFor?.length ? ['reserved'] : [])].join(',');
}

export const resourceClaim = defineKind(resourceClaimType, {
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { returnsDeleted: true },
  columns: [nameColumn, textColumn('State', 'What became of the claim.', stateOf), ageColumn],
  subresources: [
    {
      ...statusAlone,
      tables: false,
      merge: (next, old) => withoutReleased(mergeStatusAlone(next, old), old),
      validateUpdate: validateClaimStatus,
    },
  ],
  strategy: {
    updateChecks: { newFirst: true },
    defaults: (object) => ({ ...object, spec: defaultClaimSpec(object.spec ?? {}) }),
    validateCreate: (object) => validateClaimSpec(object.spec ?? {}, 'spec'),
    validateUpdate: (next, old) => immutableByMeaning('spec', resourceClaimSpec, next['spec'], old['spec']),
    // what a claim asks for never changes
    validateExpressions: async (next, old, { versions }, run) =>
      old ? [] : (await import('./selector-rules.ts')).validateClaimSelectors(next.spec ?? {}, 'spec', versions, run),
  },
});
