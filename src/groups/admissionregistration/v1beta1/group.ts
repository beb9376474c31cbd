// The admissionregistration group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { mutatingAdmissionPolicy } from '../v1/mutating-admission-policy.ts';
import { mutatingAdmissionPolicyBinding } from '../v1/mutating-admission-policy-binding.ts';
import { validatingAdmissionPolicy } from '../v1/validating-admission-policy.ts';
import { validatingAdmissionPolicyBinding } from '../v1/validating-admission-policy-binding.ts';
import { mutatingWebhookConfigurationV1beta1, validatingWebhookConfigurationV1beta1 } from './webhooks.ts';

const home = 'admissionregistration/v1beta1';

export const admissionregistrationV1beta1: GroupVersionSpec = {
  group: 'admissionregistration',
  version: 'v1beta1',
  priority: { group: 16700, version: 12 },
  offByDefault: true,
  kinds: [
    mutatingWebhookConfigurationV1beta1,
    validatingWebhookConfigurationV1beta1,
    sameShape(validatingAdmissionPolicy, home, { since: 31, removed: 34 }),
    sameShape(validatingAdmissionPolicyBinding, home, { since: 31, removed: 34 }),
    sameShape(mutatingAdmissionPolicy, home, {
      since: 37,
      removed: 40,
      replacement: { group: 'admissionregistration', version: 'v1', kind: 'MutatingAdmissionPolicy' },
    }),
    sameShape(mutatingAdmissionPolicyBinding, home, {
      since: 37,
      removed: 40,
      replacement: { group: 'admissionregistration', version: 'v1', kind: 'MutatingAdmissionPolicyBinding' },
    }),
  ],
};
