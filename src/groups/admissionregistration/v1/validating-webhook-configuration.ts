// ValidatingWebhookConfiguration: registers webhooks that may reject objects but not change them.

import type { KindDefinition } from '../../../schema/resource.ts';
import { struct } from '../../../schema/types.ts';
import { configurationKind, configurationType } from './webhook-configuration.ts';
import { matchConditionsField, webhookFields } from './webhook-fields.ts';
import { webhookRules } from './webhook-rules.ts';

const home = 'admissionregistration/v1';

const validatingWebhook = struct(
  home,
  'ValidatingWebhook',
  'One webhook that may reject objects during admission.',
  () => ({ ...webhookFields(10), matchConditions: matchConditionsField(11) }),
);

const validatingWebhookConfigurationType = configurationType(
  'ValidatingWebhookConfiguration',
  'Registers webhooks that may reject objects but not change them.',
  validatingWebhook,
);

export const validatingWebhookConfiguration: KindDefinition = configurationKind(
  validatingWebhookConfigurationType,
  webhookRules,
);
