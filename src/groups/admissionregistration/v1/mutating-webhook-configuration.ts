// MutatingWebhookConfiguration: registers webhooks that may change objects before they are stored.

import type { KindDefinition } from '../../../schema/resource.ts';
import { mutatingWebhook } from './mutating-webhook-configuration-type.ts';
import { configurationKind, configurationType } from './webhook-configuration.ts';
import { mutatingWebhookRules } from './webhook-rules.ts';

const mutatingWebhookConfigurationType = configurationType(
  'MutatingWebhookConfiguration',
  'Registers webhooks that may change objects before they are stored.',
  mutatingWebhook,
);

export const mutatingWebhookConfiguration: KindDefinition = configurationKind(
  mutatingWebhookConfigurationType,
  mutatingWebhookRules,
);
