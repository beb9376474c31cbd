// MutatingWebhookConfiguration: registers webhooks that may change objects before they are stored.

import type { KindDefinition } from '../../../schema/resource.ts';
import { field, string, struct } from '../../../schema/types.ts';
import { configurationKind, configurationType } from './webhook-configuration.ts';
import { matchConditionsField, webhookFields } from './webhook-fields.ts';
import { mutatingWebhookRules } from './webhook-rules.ts';

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

const mutatingWebhookConfigurationType = configurationType(
  'MutatingWebhookConfiguration',
  'Registers webhooks that may change objects before they are stored.',
  mutatingWebhook,
);

export const mutatingWebhookConfiguration: KindDefinition = configurationKind(
  mutatingWebhookConfigurationType,
  mutatingWebhookRules,
);
