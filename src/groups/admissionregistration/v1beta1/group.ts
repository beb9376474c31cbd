// The admissionregistration group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { mutatingAdmissionPolicy } from '../v1/mutating-admission-policy.ts';
import { mutatingAdmissionPolicyBinding } from '../v1/mutating-admission-policy-binding.ts';

const home = 'admissionregistration/v1beta1';

export const admissionregistrationV1beta1: GroupVersionSpec = {
  group: 'admissionregistration',
  version: 'v1beta1',
  priority: { group: 16700, version: 12 },
  offByDefault: true,
  kinds: [sameShape(mutatingAdmissionPolicy, home), sameShape(mutatingAdmissionPolicyBinding, home)],
};
