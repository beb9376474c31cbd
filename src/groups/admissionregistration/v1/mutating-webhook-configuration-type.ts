// Type of MutatingWebhookConfiguration: its fields, and what its rules need to know of it.

import { field, string, struct } from '../../../schema/types.ts';
import { matchConditionsField, webhookFields } from './webhook-fields.ts';

const home = 'admissionregistration/v1';

export const mutatingWebhook = struct(
  home,
  'MutatingWebhook',
  'One webhook that may change objects during admission.',
  () => ({
    ...webhookFields(11),
    reinvocationPolicy: field(10, string, {
      goType: 'v1.ReinvocationPolicyType',
      pointer: true,
      enum: ['IfNeeded', 'Never'],
      about: 'Never (default) calls once; IfNeeded may call again after others changed the object.',
    }),
    matchConditions: matchConditionsField(12),
  }),
);
