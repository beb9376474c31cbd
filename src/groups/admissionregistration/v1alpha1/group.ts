// The admissionregistration group, v1alpha1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { mutatingAdmissionPolicy } from '../v1/mutating-admission-policy.ts';
import { mutatingAdmissionPolicyBinding } from '../v1/mutating-admission-policy-binding.ts';

const home = 'admissionregistration/v1alpha1';

export const admissionregistrationV1alpha1: GroupVersionSpec = {
  group: 'admissionregistration',
  version: 'v1alpha1',
  priority: { group: 16700, version: 9 },
  offByDefault: true,
  kinds: [
    sameShape(mutatingAdmissionPolicy, home, { since: 35, removed: 38 }),
    sameShape(mutatingAdmissionPolicyBinding, home, { since: 35, removed: 38 }),
  ],
};
