// Flags about what callers may do.

import { authorizationModes } from '../config/authorization-options.ts';
import { flag, inGroup } from './flag.ts';
import { duration, listOf, oneOf, textOrNone } from './flag-values.ts';

export const authorizationFlags = inGroup('Authorization', [
  flag({
    name: 'authorization-mode',
    option: 'authorizationModes',
    type: listOf({ ...oneOf(...authorizationModes), placeholder: 'mode' }),
    default: 'Node,RBAC',
    help: `Who decides what callers may do, in this order: ${authorizationModes.join(', ')}.`,
  }),
  flag({
    name: 'authorization-policy-file',
    option: 'authorizationPolicyFile',
    type: textOrNone,
    help: 'File of the policies of the mode ABAC, one JSON object a line.',
  }),
  flag({
    name: 'authorization-webhook-config-file',
    option: 'authorizationWebhookConfigFile',
    type: textOrNone,
    help: 'Kubeconfig of the mode Webhook: where the webhook is, and the credentials for it.',
  }),
  flag({
    name: 'authorization-webhook-version',
    option: 'authorizationWebhookVersion',
    type: oneOf('v1', 'v1beta1'),
    default: 'v1beta1',
    help: 'Version of the SubjectAccessReview that the webhook gets.',
  }),
  flag({
    name: 'authorization-webhook-cache-authorized-ttl',
    option: 'authorizationWebhookCacheAuthorizedSeconds',
    type: duration,
    default: '5m',
    help: 'How long an answer of the webhook is cached when it allows a request.',
  }),
  flag({
    name: 'authorization-webhook-cache-unauthorized-ttl',
    option: 'authorizationWebhookCacheUnauthorizedSeconds',
    type: duration,
    default: '30s',
    help: 'How long an answer of the webhook is cached when it does not.',
  }),
  flag({
    name: 'authorization-config',
    option: 'authorizationConfig',
    type: textOrNone,
    help: 'File of an AuthorizationConfiguration, instead of --authorization-mode and --authorization-webhook-*; read again when it changes.',
  }),
]);
