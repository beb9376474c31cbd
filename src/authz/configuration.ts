// The file of structured authorization: the authorizers, their order, and the conditions of webhooks.

import { decodeConfigurationFile } from '../codec/configuration-file.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { bool, field, type Infer, listOf, string, struct } from '../schema/types.ts';

const home = 'apiserver.config/v1';

const connectionInfo = struct(home, 'WebhookConnectionInfo', 'Where a webhook is.', {
  type: field(1, string),
  kubeConfigFile: field(2, string, { pointer: true }),
});

const matchCondition = struct(home, 'WebhookMatchCondition', 'When a webhook is asked.', {
  expression: field(1, string),
});

const webhookConfiguration = struct(home, 'WebhookConfiguration', 'How a webhook is asked.', {
  authorizedTTL: field(1, string),
  cacheAuthorizedRequests: field(2, bool, { pointer: true }),
  unauthorizedTTL: field(3, string),
  cacheUnauthorizedRequests: field(4, bool, { pointer: true }),
  timeout: field(5, string),
  subjectAccessReviewVersion: field(6, string),
  matchConditionSubjectAccessReviewVersion: field(7, string),
  failurePolicy: field(8, string),
  connectionInfo: field(9, connectionInfo),
  matchConditions: field(10, listOf(matchCondition)),
});

const authorizer = struct(home, 'AuthorizerConfiguration', 'One of those who are asked.', {
  type: field(1, string),
  name: field(2, string),
  webhook: field(3, webhookConfiguration, { pointer: true }),
});

const authorizationConfiguration = struct(home, 'AuthorizationConfiguration', 'Who decides what callers may do.', {
  authorizers: field(1, listOf(authorizer)),
});

export type ConnectionInfo = Infer<typeof connectionInfo>;
export type WebhookConfiguration = Infer<typeof webhookConfiguration>;
export type AuthorizerConfiguration = Infer<typeof authorizer>;
export type AuthorizationConfiguration = Infer<typeof authorizationConfiguration>;

/** Throws an error in words for anything that is not exactly such a file. */
export async function decodeAuthorizationConfiguration(
  bytes: Uint8Array,
  dialect: Dialect,
): Promise<AuthorizationConfiguration> {
  const decoded = await decodeConfigurationFile(bytes, {
    group: apiGroup(dialect, 'apiserver.config'),
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    kind: 'AuthorizationConfiguration',
    type: authorizationConfiguration,
  });
  return decoded as AuthorizationConfiguration;
}
