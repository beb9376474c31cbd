// ValidatingWebhookConfiguration: registers webhooks that may reject objects but not change them.

import type { ApiObject } from '../../../meta/object.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { type Infer, struct } from '../../../schema/types.ts';
import { configurationKind, configurationType } from './webhook-configuration.ts';
import { matchConditionsField, webhookFields } from './webhook-fields.ts';
import { webhookRules } from './webhook-rules.ts';

const home = 'admissionregistration/v1';

export const validatingWebhook = struct(
  home,
  'ValidatingWebhook',
  'One webhook that may reject objects during admission.',
  () => ({ ...webhookFields(10), matchConditions: matchConditionsField(11) }),
);

export const validatingWebhookConfigurationType = configurationType(
  'ValidatingWebhookConfiguration',
  'Registers webhooks that may reject objects but not change them.',
  validatingWebhook,
);

export type ValidatingWebhookConfiguration = ApiObject & Infer<typeof validatingWebhookConfigurationType>;

export const validatingWebhookConfiguration: KindDefinition = configurationKind(
  validatingWebhookConfigurationType,
  webhookRules,
);
