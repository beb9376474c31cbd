// ValidatingWebhookConfiguration: registers webhooks that may reject objects but not change them.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { matchCondition, ruleWithOperations } from './match-resources.ts';
import { webhookClientConfig } from './webhook-client.ts';

const home = 'admissionregistration/v1';

export const validatingWebhook = struct(
  home,
  'ValidatingWebhook',
  'One webhook that may reject objects during admission.',
  {
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Full domain-style name such as "image.example.com", unique in the configuration.',
    }),
    clientConfig: field(2, webhookClientConfig, {
      always: true,
      required: true,
      about: 'How to reach the webhook server.',
    }),
    rules: field(3, listOf(ruleWithOperations), {
      listType: 'atomic',
      about: 'Operations and resources sent to the webhook; any one match is enough.',
    }),
    failurePolicy: field(4, string, {
      pointer: true,
      enum: ['Fail', 'Ignore'],
      about: 'What happens when the call fails: Fail (default) rejects the request, Ignore lets it through.',
    }),
    matchPolicy: field(9, string, {
      pointer: true,
      enum: ['Equivalent', 'Exact'],
      about: 'Exact takes rules literally; Equivalent (default) also matches other versions of the same resource.',
    }),
    namespaceSelector: field(5, labelSelector, {
      pointer: true,
      about: 'Calls the webhook only for namespaces with these labels; empty matches everything.',
    }),
    objectSelector: field(10, labelSelector, {
      pointer: true,
      about: 'Calls the webhook only when old or new object has these labels; empty matches everything.',
    }),
    sideEffects: field(6, string, {
      pointer: true,
      always: true,
      required: true,
      enum: ['None', 'NoneOnDryRun', 'Some', 'Unknown'],
      about: 'Whether calls change anything elsewhere: None, or NoneOnDryRun for none in dry runs.',
    }),
    timeoutSeconds: field(7, int32, { pointer: true, about: 'Seconds to wait for an answer, 1 to 30; default 10.' }),
    admissionReviewVersions: field(8, listOf(string), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'AdmissionReview versions the webhook accepts, best first, such as ["v1"].',
    }),
    matchConditions: field(11, listOf(matchCondition), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'Extra CEL filters that must all hold before calling; at most 64.',
    }),
  },
);

export const validatingWebhookConfigurationType = struct(
  home,
  'ValidatingWebhookConfiguration',
  'Registers webhooks that may reject objects but not change them.',
  {
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    webhooks: field(2, listOf(validatingWebhook), {
      listType: 'map',
      mapKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
      about: 'The webhooks to call, each with its own rules.',
    }),
  },
);

export type ValidatingWebhookConfiguration = ApiObject & Infer<typeof validatingWebhookConfigurationType>;

export const validatingWebhookConfiguration: KindDefinition = {
  kind: 'ValidatingWebhookConfiguration',
  plural: 'validatingwebhookconfigurations',
  namespaced: false,
  categories: ['api-extensions'],
  verbs: allVerbs,
  type: validatingWebhookConfigurationType,
  checkName: checkSubdomain,
  generationIgnores: [],
  conditionalUpdateOnly: true,
};
