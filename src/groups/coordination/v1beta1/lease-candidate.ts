// LeaseCandidate: announces a process that would like to become holder of a lease.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, microTime, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'coordination/v1beta1';

export const leaseCandidateSpec = struct(home, 'LeaseCandidateSpec', 'Lease and versions of a candidate.', {
  leaseName: field(1, string, {
    always: true,
    required: true,
    about: 'Name of the lease in the same namespace that the candidate runs for; immutable.',
  }),
  pingTime: field(2, microTime, {
    pointer: true,
    about: 'When the candidate was last asked to renew; it answers by updating renewTime.',
  }),
  renewTime: field(3, microTime, { pointer: true, about: 'When the candidate last showed that it is alive.' }),
  binaryVersion: field(4, string, {
    always: true,
    required: true,
    about: 'Version of the candidate\'s program, in semantic form without a leading "v".',
  }),
  emulationVersion: field(5, string, {
    about: 'Version whose behavior the candidate imitates; needed for OldestEmulationVersion, not above binaryVersion.',
  }),
  strategy: field(6, string, {
    required: true,
    about: 'How the leader is picked, such as OldestEmulationVersion; all candidates should agree.',
  }),
});

export const leaseCandidateType = struct(
  home,
  'LeaseCandidate',
  'Announces a process that would like to become holder of a lease.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, leaseCandidateSpec, {
      always: true,
      required: true,
      about: 'Which lease it runs for and which versions it has.',
    }),
  },
);

export type LeaseCandidate = ApiObject & Infer<typeof leaseCandidateType>;

export const leaseCandidate: KindDefinition = {
  kind: 'LeaseCandidate',
  plural: 'leasecandidates',
  namespaced: true,
  verbs: allVerbs,
  type: leaseCandidateType,
  deprecated: { since: 36, removed: 39 },
  checkName: checkSubdomain,
  createOnUpdate: true,
  conditionalUpdateOnly: true,
};
