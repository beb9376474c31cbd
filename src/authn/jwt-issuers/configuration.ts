// The file of structured authentication: which issuers of tokens are trusted, and which paths need no credentials.

import { decodeConfigurationFile } from '../../codec/configuration-file.ts';
import { apiGroup, type Dialect } from '../../meta/dialect.ts';
import { bool, field, type Infer, listOf, string, struct } from '../../schema/types.ts';

const home = 'apiserver.config/v1';

const issuer = struct(home, 'Issuer', 'Who issues tokens, and for which audiences.', {
  url: field(1, string),
  discoveryURL: field(2, string),
  certificateAuthority: field(3, string),
  audiences: field(4, listOf(string)),
  audienceMatchPolicy: field(5, string),
  egressSelectorType: field(6, string),
});

const claimValidationRule = struct(home, 'ClaimValidationRule', 'What claims have to say.', {
  claim: field(1, string),
  requiredValue: field(2, string),
  expression: field(3, string),
  message: field(4, string),
});

const prefixedClaimOrExpression = struct(home, 'PrefixedClaimOrExpression', 'Where a name comes from.', {
  claim: field(1, string),
  prefix: field(2, string, { pointer: true }),
  expression: field(3, string),
});

const claimOrExpression = struct(home, 'ClaimOrExpression', 'Where a value comes from.', {
  claim: field(1, string),
  expression: field(2, string),
});

const extraMapping = struct(home, 'ExtraMapping', 'One key of extra information.', {
  key: field(1, string),
  valueExpression: field(2, string),
});

const claimMappings = struct(home, 'ClaimMappings', 'How claims become a user.', {
  username: field(1, prefixedClaimOrExpression),
  groups: field(2, prefixedClaimOrExpression),
  uid: field(3, claimOrExpression),
  extra: field(4, listOf(extraMapping)),
});

const userValidationRule = struct(home, 'UserValidationRule', 'What has to hold for the user.', {
  expression: field(1, string),
  message: field(2, string),
});

const jwtAuthenticator = struct(home, 'JWTAuthenticator', 'Tokens of one issuer.', {
  issuer: field(1, issuer),
  claimValidationRules: field(2, listOf(claimValidationRule)),
  claimMappings: field(3, claimMappings),
  userValidationRules: field(4, listOf(userValidationRule)),
});

const anonymousCondition = struct(home, 'AnonymousAuthCondition', 'A path that needs no credentials.', {
  path: field(1, string),
});

const anonymousConfig = struct(home, 'AnonymousAuthConfig', 'Callers without credentials.', {
  enabled: field(1, bool),
  conditions: field(2, listOf(anonymousCondition)),
});

const authenticationConfiguration = struct(home, 'AuthenticationConfiguration', 'How callers are recognised.', {
  jwt: field(1, listOf(jwtAuthenticator)),
  anonymous: field(2, anonymousConfig, { pointer: true }),
});

export type IssuerSpec = Infer<typeof issuer>;
export type ClaimMappings = Infer<typeof claimMappings>;
export type PrefixedClaimOrExpression = Infer<typeof prefixedClaimOrExpression>;
export type ClaimValidationRule = Infer<typeof claimValidationRule>;
export type UserValidationRule = Infer<typeof userValidationRule>;
export type JwtAuthenticatorSpec = Infer<typeof jwtAuthenticator>;
export type AuthenticationConfiguration = Infer<typeof authenticationConfiguration>;

/** Throws an error in words for anything that is not exactly such a file. */
export async function decodeConfiguration(bytes: Uint8Array, dialect: Dialect): Promise<AuthenticationConfiguration> {
  const decoded = await decodeConfigurationFile(bytes, {
    group: apiGroup(dialect, 'apiserver.config'),
    versions: ['v1', 'v1beta1', 'v1alpha1'],
    kind: 'AuthenticationConfiguration',
    type: authenticationConfiguration,
  });
  return decoded as AuthenticationConfiguration;
}
