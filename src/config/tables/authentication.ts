// Options of who callers are.

import { option } from '../option.ts';
import { between, oneOfChoices, secondsOrZero } from '../option-checks.ts';
import {
  anyText,
  duration,
  listOrNone,
  oneOf,
  pairs,
  repeated,
  text,
  textOrNone,
  texts,
  yesOrNo,
} from '../value-types.ts';

export const authenticationOptions = {
  anonymousAuth: option({
    type: yesOrNo,
    flag: 'anonymous-auth',
    default: 'true',
    help: 'Whether callers without credentials are let in as system:anonymous; under AlwaysAllow never.',
  }),
  clientCaFile: option({
    type: textOrNone,
    flag: 'client-ca-file',
    help: "PEM file of CAs whose client certificates are trusted, besides the server's own; read again when it changes.",
  }),
  tokenAuthFile: option({
    type: textOrNone,
    flag: 'token-auth-file',
    help: 'CSV file of tokens: token, user, uid and groups in one quoted column.',
  }),
  enableBootstrapTokenAuth: option({
    type: yesOrNo,
    flag: 'enable-bootstrap-token-auth',
    default: 'false',
    help: 'Whether bootstrap tokens are accepted.',
  }),
  authenticationConfig: option({
    type: textOrNone,
    flag: 'authentication-config',
    help: 'AuthenticationConfiguration file: issuers of tokens, and where no credentials are needed; read again when it changes. Not with --oidc-….',
  }),
  oidcIssuerUrl: option({
    type: textOrNone,
    flag: 'oidc-issuer-url',
    help: 'https URL of an OpenID Connect issuer whose tokens are trusted, without .well-known/openid-configuration.',
  }),
  oidcClientId: option({
    type: textOrNone,
    flag: 'oidc-client-id',
    help: 'The client that all tokens must be issued for.',
  }),
  oidcUsernameClaim: option({
    type: textOrNone,
    flag: 'oidc-username-claim',
    default: 'sub',
    help: 'The claim that is the name of the user.',
  }),
  oidcUsernamePrefix: option({
    type: anyText,
    flag: 'oidc-username-prefix',
    help: 'Prefix of user names; defaults to the issuer and # unless the claim is email; - for none.',
  }),
  oidcGroupsClaim: option({
    type: textOrNone,
    flag: 'oidc-groups-claim',
    help: 'The claim that lists the groups of the user.',
  }),
  oidcGroupsPrefix: option({ type: anyText, flag: 'oidc-groups-prefix', help: 'Prefix of group names.' }),
  oidcRequiredClaims: option({
    type: { ...pairs, isOptional: true },
    flag: 'oidc-required-claim',
    help: 'A claim that tokens have to have, with its value; given once or several times.',
  }),
  oidcCaFile: option({
    type: textOrNone,
    flag: 'oidc-ca-file',
    help: 'PEM file of the CA of the issuer; defaults to the CA certificates of the system.',
  }),
  oidcSigningAlgs: option({
    type: texts,
    flag: 'oidc-signing-algs',
    default: 'RS256',
    help: 'How tokens may be signed: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512.',
  }),
  authenticationTokenWebhookConfigFile: option({
    type: textOrNone,
    flag: 'authentication-token-webhook-config-file',
    help: 'Kubeconfig of a webhook that checks tokens no other authenticator accepts: its address, and the credentials for it.',
  }),
  authenticationTokenWebhookVersion: option({
    type: oneOf('v1', 'v1beta1'),
    flag: 'authentication-token-webhook-version',
    default: 'v1beta1',
    help: 'Version of the TokenReview that the webhook gets.',
    check: oneOfChoices(['v1', 'v1beta1']),
  }),
  authenticationTokenWebhookCacheSeconds: option({
    type: duration,
    flag: 'authentication-token-webhook-cache-ttl',
    default: '2m',
    help: 'How long answers of the token webhook are cached.',
    check: secondsOrZero,
  }),
  serviceAccountIssuers: option({
    type: { ...repeated(text), isOptional: true },
    flag: 'service-account-issuer',
    help: 'Who issues service account tokens, given once or several times; the first signs, the others are accepted.',
  }),
  serviceAccountSigningKeyFile: option({
    type: textOrNone,
    flag: 'service-account-signing-key-file',
    help: 'PEM file of the key that signs service account tokens; made when first needed where not given.',
  }),
  serviceAccountPrivateKeyFile: option({
    type: textOrNone,
    flag: 'service-account-private-key-file',
    help: 'PEM file of the key that signs the tokens in Secrets, where that is another one.',
  }),
  serviceAccountKeyFiles: option({
    type: { ...repeated(text), isOptional: true },
    flag: 'service-account-key-file',
    help: 'PEM file of keys whose tokens are accepted as well, given once or several times.',
  }),
  serviceAccountLookup: option({
    type: yesOrNo,
    flag: 'service-account-lookup',
    default: 'true',
    help: 'Whether service account tokens end with the objects they are bound to.',
  }),
  serviceAccountMaxTokenExpirationSeconds: option({
    type: duration,
    flag: 'service-account-max-token-expiration',
    help: 'The longest a service account token may live.',
    check: between(3600, 2 ** 32, 'use one hour to 2^32 seconds'),
  }),
  serviceAccountExtendTokenExpiration: option({
    type: yesOrNo,
    flag: 'service-account-extend-token-expiration',
    flagDefault: 'true',
    help: 'Whether tokens in the volumes of pods live for a year.',
  }),
  serviceAccountJwksUri: option({
    type: textOrNone,
    flag: 'service-account-jwks-uri',
    help: 'URL of the public keys of service account tokens, as discovery names it.',
  }),
  apiAudiences: option({
    type: texts,
    flag: 'api-audiences',
    help: 'Audiences of this server; the issuers when not given.',
  }),
  proxyClientCertFile: option({
    type: textOrNone,
    flag: 'proxy-client-cert-file',
    help: 'PEM file of the certificate that the server shows to aggregated API servers, read again when it changes; made in the data folder when not given.',
  }),
  proxyClientKeyFile: option({
    type: textOrNone,
    flag: 'proxy-client-key-file',
    help: 'PEM file of the key of --proxy-client-cert-file.',
  }),
  requestheaderClientCaFile: option({
    type: textOrNone,
    flag: 'requestheader-client-ca-file',
    help: 'PEM file of CAs of proxies that name the user of a request in headers; when not given, the only such proxy is the server itself.',
  }),
  requestheaderAllowedNames: option({
    type: listOrNone(text),
    flag: 'requestheader-allowed-names',
    help: 'Common names of the certificates of such proxies; any when empty.',
  }),
  requestheaderUsernameHeaders: option({
    type: texts,
    flag: 'requestheader-username-headers',
    help: 'Headers that name the user; the first with a value counts.',
  }),
  requestheaderUidHeaders: option({
    type: texts,
    flag: 'requestheader-uid-headers',
    help: 'Headers that give the uid of the user.',
  }),
  requestheaderGroupHeaders: option({
    type: texts,
    flag: 'requestheader-group-headers',
    help: 'Headers that name groups of the user.',
  }),
  requestheaderExtraHeadersPrefixes: option({
    type: texts,
    flag: 'requestheader-extra-headers-prefix',
    help: 'Prefixes of headers with extra information about the user.',
  }),
};
