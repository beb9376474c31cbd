// Webhook configurations before v1: more was optional, and failures were ignored.

import type { ApiObject } from '../../../meta/object.ts';
import type { Deprecation, KindDefinition } from '../../../schema/resource.ts';
import { defaultedFirst, sameShape, withHooks } from '../../same-shape.ts';
import { mutatingWebhookConfiguration } from '../v1/mutating-webhook-configuration.ts';
import { validatingWebhookConfiguration } from '../v1/validating-webhook-configuration.ts';
import { type Configuration, olderWebhookRules } from '../v1/webhook-rules.ts';

const home = 'admissionregistration/v1beta1';

const olderDefaults = {
  failurePolicy: 'Ignore',
  matchPolicy: 'Exact',
  sideEffects: 'Unknown',
  timeoutSeconds: 30,
  admissionReviewVersions: ['v1beta1'],
};

function defaults(object: Configuration): ApiObject {
  const { webhooks } = object;
  if (!webhooks) return object;
  return { ...object, webhooks: webhooks.map((webhook) => ({ ...olderDefaults, ...given(webhook) })) };
}

/** Fields that are always written are null when the client did not give them. */
const given = (webhook: object) => Object.fromEntries(Object.entries(webhook).filter(([, value]) => value !== null));

const replacedBy = (kind: string): Deprecation => ({
  since: 16,
  removed: 22,
  replacement: { group: 'admissionregistration', version: 'v1', kind },
});

function older(kind: KindDefinition): KindDefinition {
  const served = defaultedFirst(sameShape(kind, home, replacedBy(kind.kind)), defaults);
  return withHooks(served, olderWebhookRules);
}

export const mutatingWebhookConfigurationV1beta1 = older(mutatingWebhookConfiguration);
export const validatingWebhookConfigurationV1beta1 = older(validatingWebhookConfiguration);
