// Fields that webhooks have, whether they change objects or only judge them.

import { field, int32, listOf, string } from '../../../schema/types.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';
import { matchCondition, ruleWithOperations } from './match-resources.ts';
import { webhookClientConfig } from './webhook-client.ts';

/** Those that come first; the two kinds gave the object selector different numbers. */
export const webhookFields = (objectSelectorNumber: number) => ({
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
    goType: 'FailurePolicyType',
    pointer: true,
    enum: ['Fail', 'Ignore'],
    about: 'What happens when the call fails: Fail (default) rejects the request, Ignore lets it through.',
  }),
  matchPolicy: field(9, string, {
    goType: 'MatchPolicyType',
    pointer: true,
    enum: ['Equivalent', 'Exact'],
    about: 'Exact takes rules literally; Equivalent (default) also matches other versions of the same resource.',
  }),
  namespaceSelector: field(5, labelSelector, {
    pointer: true,
    about: 'Calls the webhook only for namespaces with these labels; empty matches everything.',
  }),
  objectSelector: field(objectSelectorNumber, labelSelector, {
    pointer: true,
    about: 'Calls the webhook only when old or new object has these labels; empty matches everything.',
  }),
  sideEffects: field(6, string, {
    goType: 'SideEffectClass',
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
});

export const matchConditionsField = (number: number) =>
  field(number, listOf(matchCondition), {
    listType: 'map',
    mapKeys: ['name'],
    patchStrategy: 'merge',
    patchMergeKey: 'name',
    about: 'Extra CEL filters that must all hold before calling; at most 64.',
  });
