// Options of what callers may do.

import { authorizationModes } from '../authorization-options.ts';
import { option } from '../option.ts';
import { oneOfChoices } from '../option-checks.ts';
import { duration, listOf, oneOf, textOrNone } from '../value-types.ts';

export const authorizationOptions = {
  authorizationModes: option({
    type: listOf({ ...oneOf(...authorizationModes), placeholder: 'mode' }),
    flag: 'authorization-mode',
    default: 'Node,RBAC',
    help: `Who decides what callers may do, in this order: ${authorizationModes.join(', ')}.`,
  }),
  authorizationPolicyFile: option({
    type: textOrNone,
    flag: 'authorization-policy-file',
    help: 'File of the policies of the mode ABAC, one JSON object a line.',
  }),
  authorizationWebhookConfigFile: option({
    type: textOrNone,
    flag: 'authorization-webhook-config-file',
    help: 'Kubeconfig of the mode Webhook: where the webhook is, and the credentials for it.',
  }),
  authorizationWebhookVersion: option({
    type: oneOf('v1', 'v1beta1'),
    flag: 'authorization-webhook-version',
    default: 'v1beta1',
    help: 'Version of the SubjectAccessReview that the webhook gets.',
    check: oneOfChoices(['v1', 'v1beta1']),
  }),
  authorizationWebhookCacheAuthorizedSeconds: option({
    type: duration,
    flag: 'authorization-webhook-cache-authorized-ttl',
    default: '5m',
    help: 'How long an answer of the webhook is cached when it allows a request.',
  }),
  authorizationWebhookCacheUnauthorizedSeconds: option({
    type: duration,
    flag: 'authorization-webhook-cache-unauthorized-ttl',
    default: '30s',
    help: 'How long an answer of the webhook is cached when it does not.',
  }),
  authorizationConfig: option({
    type: textOrNone,
    flag: 'authorization-config',
    help: 'File of an AuthorizationConfiguration, instead of --authorization-mode and --authorization-webhook-*; read again when it changes.',
  }),
};
