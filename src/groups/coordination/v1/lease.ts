// Lease: a lock that its holder must keep renewing.

import { invalidValue } from '../../../meta/field-errors.ts';
import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, type Infer, int32, microTime, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { ageColumn } from '../../columns.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'coordination/v1';

const leaseSpec = struct(home, 'LeaseSpec', 'State of a lease.', () => ({
  holderIdentity: field(1, string, { pointer: true, about: 'Who holds the lease now.' }),
  leaseDurationSeconds: field(2, int32, { pointer: true, about: 'How long others must wait after the last renewal.' }),
  acquireTime: field(3, microTime, { pointer: true, about: 'When the holder got it.' }),
  renewTime: field(4, microTime, { pointer: true, about: 'When the holder last renewed it.' }),
  leaseTransitions: field(5, int32, { pointer: true, about: 'How often the holder changed.' }),
  strategy: field(6, string, {
    goType: 'CoordinatedLeaseStrategy',
    pointer: true,
    off: true,
    about: 'How a coordinated election picks the leader.',
  }),
  preferredHolder: field(7, string, { pointer: true, off: true, about: 'Who should hold the lease instead.' }),
}));

const type = struct(home, 'Lease', 'A lock that its holder renews; others may take it when renewals stop.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, leaseSpec, { always: true, about: 'State of the lease.' }),
}));

type Lease = ApiObject & Infer<typeof type>;

function validate(object: Lease): readonly FieldError[] {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = object.spec ?? {};
  const errors: FieldError[] = [];
  if (duration !== undefined && duration <= 0) {
    errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  }
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  }
  return errors;
}

export const lease = defineKind(type, {
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  quirks: { createOnUpdate: true, conditionalUpdateOnly: true, plainFinalizers: true },
  columns: [
    nameColumn,
    {
      name: 'Holder',
      type: 'string',
      about: 'Who holds the lease.',
      priority: 0,
      cell: (object) => object.spec?.holderIdentity ?? '',
    },
    ageColumn,
  ],
  strategy: { updateChecks: { meta: 0 }, validate },
});
