// The admissionregistration group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { mutatingAdmissionPolicy } from './mutating-admission-policy.ts';
import { mutatingAdmissionPolicyBinding } from './mutating-admission-policy-binding.ts';
import { mutatingWebhookConfiguration } from './mutating-webhook-configuration.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy.ts';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding.ts';
import { validatingWebhookConfiguration } from './validating-webhook-configuration.ts';

export const admissionregistrationV1: GroupVersionSpec = {
  group: 'admissionregistration',
  version: 'v1',
  priority: { group: 16700, version: 15 },
  kinds: [
    mutatingAdmissionPolicy,
    mutatingAdmissionPolicyBinding,
    mutatingWebhookConfiguration,
    validatingAdmissionPolicy,
    validatingAdmissionPolicyBinding,
    validatingWebhookConfiguration,
  ],
};
