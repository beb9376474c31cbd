// The file of structured authorization: who is asked, in which order, and when a webhook is asked at all.

import { isJsonObject } from '../base/json.ts';
import { parseYaml } from '../codec/body.ts';
import { decodeObject } from '../codec/decode-object.ts';
import { strictFindings } from '../codec/strict.ts';
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

const kind = 'AuthorizationConfiguration';
const versions = ['v1', 'v1beta1', 'v1alpha1'];

/** Throws an error in words for anything that is not exactly such a file. */
export async function decodeAuthorizationConfiguration(
  bytes: Uint8Array,
  dialect: Dialect,
): Promise<AuthorizationConfiguration> {
  const parsed = await parseYaml(bytes);
  const { value } = parsed;
  if (!isJsonObject(value)) throw new Error(`the file holds no ${kind}`);
  const group = apiGroup(dialect, 'apiserver.config');
  const version = versions.find((one) => value['apiVersion'] === `${group}/${one}`);
  if (version === undefined || value['kind'] !== kind)
    throw new Error(
      `no kind ${JSON.stringify(value['kind'])} is known in version ${JSON.stringify(value['apiVersion'])}, use ${kind} in ${group}/v1`,
    );
  const { object, unknownFields } = decodeObject({ group, version, kind, type: authorizationConfiguration }, value);
  const findings = strictFindings(parsed, unknownFields);
  if (findings.length > 0) throw new Error(`strict decoding error: ${findings.join(', ')}`);
  return object as AuthorizationConfiguration;
}
