// The flags of `keelson serve`: one table that parses them, documents them and maps them onto server options.

import { builtInPlugins } from '../admission/catalogue.ts';
import type { DialectNames } from '../meta/dialect.ts';
import { authorizationModes } from '../server/authorization-options.ts';
import { tlsVersionNames } from '../server/tls-options.ts';
import { auditFlags } from './audit-flags.ts';
import { type Flag, flag, inGroup, type Ungrouped } from './flag.ts';
import {
  anyText,
  duration,
  given,
  integer,
  listOf,
  oneOf,
  pairs,
  repeated,
  switches,
  text,
  yesOrNo,
} from './flag-values.ts';

/** A flag that sets one of the dialect's names. */
function nameFlag(name: string, option: keyof DialectNames, help: string): Ungrouped {
  return {
    name,
    option,
    help,
    placeholder: text.placeholder,
    defaultText: '',
    set(options, value) {
      options.dialectNames = { ...options.dialectNames, [option]: text.parse(value) };
    },
  };
}

export const defaultDataDir = 'keelson-data';
export const defaultPort = 6443;

const storage = inGroup('Storage', [
  flag({
    name: 'data-dir',
    option: 'dataDir',
    type: text,
    default: defaultDataDir,
    help: 'Folder of the store, the certificates and the kubeconfig.',
  }),
  flag({
    name: 'store',
    option: 'store',
    type: oneOf('embedded', 'memory', 'etcd'),
    default: 'embedded',
    help: 'Where objects are kept: on disk in the data folder, in memory, or in etcd.',
  }),
  flag({
    name: 'etcd-servers',
    option: 'etcdServers',
    type: listOf(text),
    help: 'Addresses of etcd, separated by commas; they imply --store=etcd.',
  }),
  flag({
    name: 'etcd-prefix',
    option: 'etcdPrefix',
    type: text,
    default: '/registry',
    help: 'Where keys begin in etcd.',
  }),
  flag({ name: 'etcd-cafile', option: 'etcdCaFile', type: text, help: 'PEM file of the CA of etcd.' }),
  flag({
    name: 'etcd-certfile',
    option: 'etcdCertFile',
    type: text,
    help: 'PEM file of the client certificate for etcd.',
  }),
  flag({ name: 'etcd-keyfile', option: 'etcdKeyFile', type: text, help: 'PEM file of the key of --etcd-certfile.' }),
  flag({
    name: 'etcd-username',
    option: 'etcdUsername',
    type: text,
    help: 'User of etcd; the password comes from a file or from KEELSON_ETCD_PASSWORD.',
  }),
  flag({
    name: 'etcd-password-file',
    option: 'etcdPasswordFile',
    type: text,
    help: 'File with the password of --etcd-username.',
  }),
  flag({
    name: 'etcd-compaction-interval',
    option: 'etcdCompactionSeconds',
    type: duration,
    default: '5m',
    help: 'How long old versions are kept in etcd; 0 leaves them to others.',
  }),
  flag({
    name: 'event-ttl',
    option: 'eventTtlSeconds',
    type: duration,
    default: '1h',
    help: 'How long events are kept.',
  }),
  flag({
    name: 'history',
    option: 'historySeconds',
    type: duration,
    default: '5m',
    help: 'How long old versions are kept for watches and consistent pages, outside etcd.',
  }),
]);

const serving = inGroup('Serving', [
  flag({
    name: 'bind-address',
    option: 'bindAddress',
    type: text,
    default: '127.0.0.1',
    help: 'Address to listen on.',
  }),
  flag({
    name: 'secure-port',
    option: 'securePort',
    type: integer(0, 65535),
    default: String(defaultPort),
    help: 'Port to listen on; 0 picks a free one.',
  }),
  flag({
    name: 'tls-cert-file',
    option: 'tlsCertFile',
    type: text,
    help: 'PEM file of the serving certificate, read again when it changes; made at first start when not given.',
  }),
  flag({
    name: 'tls-private-key-file',
    option: 'tlsPrivateKeyFile',
    type: text,
    help: 'PEM file of the key of --tls-cert-file.',
  }),
  flag({
    name: 'tls-sni-cert-key',
    option: 'tlsSniCertKeys',
    type: given(text),
    help: 'A further certificate and its key for some names, cert.pem,key.pem or cert.pem,key.pem:*.example.com; once or several times.',
  }),
  flag({
    name: 'tls-min-version',
    option: 'tlsMinVersion',
    type: { ...oneOf(...tlsVersionNames), placeholder: 'version' },
    default: 'VersionTLS12',
    help: 'The oldest version of TLS that is spoken.',
  }),
  flag({
    name: 'tls-cipher-suites',
    option: 'tlsCipherSuites',
    type: listOf(text),
    help: 'Cipher suites up to TLS 1.2, by their IANA names; good ones when not given.',
  }),
  flag({
    name: 'allow-privileged',
    option: 'allowPrivileged',
    type: yesOrNo,
    default: 'false',
    help: 'Whether containers may be privileged.',
  }),
  flag({
    name: 'kubelet-certificate-authority',
    option: 'kubeletCertificateAuthority',
    type: text,
    help: 'PEM file of who signs the certificates of node agents; they are not checked when not given.',
  }),
  flag({
    name: 'kubelet-client-certificate',
    option: 'kubeletClientCertificate',
    type: text,
    help: 'PEM file of the certificate by which the server shows itself to node agents.',
  }),
  flag({
    name: 'kubelet-client-key',
    option: 'kubeletClientKey',
    type: text,
    help: 'PEM file of the key of --kubelet-client-certificate.',
  }),
  flag({
    name: 'request-timeout',
    option: 'requestTimeoutSeconds',
    type: duration,
    default: '1m',
    help: 'How long a request may take before its answer begins.',
  }),
  flag({
    name: 'min-request-timeout',
    option: 'minRequestTimeoutSeconds',
    type: integer(1, 86_400),
    default: '1800',
    help: 'Seconds a watch lasts at least when the client does not say.',
  }),
  flag({
    name: 'shutdown-grace-period',
    option: 'shutdownGraceSeconds',
    type: duration,
    default: '10s',
    help: 'How long requests under way may take to finish at shutdown.',
  }),
]);

const api = inGroup('API', [
  flag({
    name: 'runtime-config',
    option: 'runtimeConfig',
    type: switches,
    help: 'Turns APIs on or off: api/all, api/beta, a group-version or one of its resources.',
  }),
  flag({
    name: 'feature-gates',
    option: 'featureGates',
    type: switches,
    help: 'Turns behaviour on or off by name: APIListChunking (lists in pages; on).',
  }),
  flag({
    name: 'service-cluster-ip-range',
    option: 'serviceClusterIpRange',
    type: listOf(text),
    default: '10.0.0.0/24',
    help: 'CIDR range that services get their addresses from; one of each IP family, separated by a comma, for both.',
  }),
  flag({
    name: 'service-node-port-range',
    option: 'serviceNodePortRange',
    type: text,
    default: '30000-32767',
    help: 'Ports that services may open on every node.',
  }),
  flag({
    name: 'controllers',
    option: 'controllers',
    type: listOf(text),
    default: '*',
    help: 'Controllers to run: * for all that are on by default, name for one more, -name for one less.',
  }),
]);

const authentication = inGroup('Authentication', [
  flag({
    name: 'anonymous-auth',
    option: 'anonymousAuth',
    type: yesOrNo,
    default: 'true',
    help: 'Whether callers without credentials are let in as system:anonymous; not under AlwaysAllow unless this is given.',
  }),
  flag({
    name: 'client-ca-file',
    option: 'clientCaFile',
    type: text,
    help: "PEM file of CAs whose client certificates are believed, besides the server's own; read again when it changes.",
  }),
  flag({
    name: 'token-auth-file',
    option: 'tokenAuthFile',
    type: text,
    help: 'CSV file of tokens: token, user, uid and groups in one quoted column.',
  }),
  flag({
    name: 'enable-bootstrap-token-auth',
    option: 'enableBootstrapTokenAuth',
    type: yesOrNo,
    default: 'false',
    help: 'Whether bootstrap tokens are accepted.',
  }),
  flag({
    name: 'authentication-config',
    option: 'authenticationConfig',
    type: text,
    help: 'AuthenticationConfiguration file: issuers of tokens, and where no credentials are needed; read again when it changes. Not with --oidc-….',
  }),
  flag({
    name: 'oidc-issuer-url',
    option: 'oidcIssuerUrl',
    type: text,
    help: 'https URL of an OpenID Connect issuer whose tokens are believed, the level below .well-known/openid-configuration.',
  }),
  flag({
    name: 'oidc-client-id',
    option: 'oidcClientId',
    type: text,
    help: 'The client that all tokens must be issued for.',
  }),
  flag({
    name: 'oidc-username-claim',
    option: 'oidcUsernameClaim',
    type: text,
    default: 'sub',
    help: 'The claim that is the name of the user.',
  }),
  flag({
    name: 'oidc-username-prefix',
    option: 'oidcUsernamePrefix',
    type: anyText,
    help: 'What stands before names; the issuer and # when not given and the claim is not email, nothing for -.',
  }),
  flag({
    name: 'oidc-groups-claim',
    option: 'oidcGroupsClaim',
    type: text,
    help: 'The claim that lists the groups of the user.',
  }),
  flag({
    name: 'oidc-groups-prefix',
    option: 'oidcGroupsPrefix',
    type: anyText,
    help: 'What stands before names of groups.',
  }),
  flag({
    name: 'oidc-required-claim',
    option: 'oidcRequiredClaims',
    type: pairs,
    help: 'A claim that tokens have to have, with its value; given once or several times.',
  }),
  flag({
    name: 'oidc-ca-file',
    option: 'oidcCaFile',
    type: text,
    help: 'PEM file of who signs the certificate of the issuer; whom the machine believes when not given.',
  }),
  flag({
    name: 'oidc-signing-algs',
    option: 'oidcSigningAlgs',
    type: listOf(text),
    default: 'RS256',
    help: 'How tokens may be signed: RS256, RS384, RS512, ES256, ES384, ES512, PS256, PS384, PS512.',
  }),
  flag({
    name: 'authentication-token-webhook-config-file',
    option: 'authenticationTokenWebhookConfigFile',
    type: text,
    help: 'Kubeconfig of a webhook that is asked about tokens nobody else knows: where it is, and the credentials for it.',
  }),
  flag({
    name: 'authentication-token-webhook-version',
    option: 'authenticationTokenWebhookVersion',
    type: oneOf('v1', 'v1beta1'),
    default: 'v1beta1',
    help: 'Version of the TokenReview that the webhook gets.',
  }),
  flag({
    name: 'authentication-token-webhook-cache-ttl',
    option: 'authenticationTokenWebhookCacheSeconds',
    type: duration,
    default: '2m',
    help: 'How long answers of the token webhook are believed.',
  }),
  flag({
    name: 'service-account-issuer',
    option: 'serviceAccountIssuers',
    type: repeated(text),
    help: 'Who issues service account tokens, given once or several times; the first signs, the others are accepted.',
  }),
  flag({
    name: 'service-account-signing-key-file',
    option: 'serviceAccountSigningKeyFile',
    type: text,
    help: 'PEM file of the key that signs service account tokens; made when first needed where not given.',
  }),
  flag({
    name: 'service-account-private-key-file',
    option: 'serviceAccountPrivateKeyFile',
    type: text,
    help: 'PEM file of the key that signs the tokens in Secrets, where that is another one.',
  }),
  flag({
    name: 'service-account-key-file',
    option: 'serviceAccountKeyFiles',
    type: repeated(text),
    help: 'PEM file of keys whose tokens are accepted as well, given once or several times.',
  }),
  flag({
    name: 'service-account-lookup',
    option: 'serviceAccountLookup',
    type: yesOrNo,
    default: 'true',
    help: 'Whether service account tokens end with the objects they are bound to.',
  }),
  flag({
    name: 'service-account-max-token-expiration',
    option: 'serviceAccountMaxTokenExpirationSeconds',
    type: duration,
    help: 'The longest a service account token may live.',
  }),
  flag({
    name: 'service-account-extend-token-expiration',
    option: 'serviceAccountExtendTokenExpiration',
    type: yesOrNo,
    default: 'true',
    help: 'Whether tokens in the volumes of pods live for a year.',
  }),
  flag({
    name: 'service-account-jwks-uri',
    option: 'serviceAccountJwksUri',
    type: text,
    help: 'Where the public keys of service account tokens are said to be.',
  }),
  flag({
    name: 'api-audiences',
    option: 'apiAudiences',
    type: listOf(text),
    help: 'Audiences of this server; the issuers when not given.',
  }),
  flag({
    name: 'requestheader-client-ca-file',
    option: 'requestheaderClientCaFile',
    type: text,
    help: 'PEM file of CAs of proxies that say in headers for whom a request is.',
  }),
  flag({
    name: 'requestheader-allowed-names',
    option: 'requestheaderAllowedNames',
    type: listOf(anyText),
    help: 'Common names of such proxies; any when empty.',
  }),
  flag({
    name: 'requestheader-username-headers',
    option: 'requestheaderUsernameHeaders',
    type: listOf(text),
    help: 'Headers that name the user; the first with a value counts.',
  }),
  flag({
    name: 'requestheader-uid-headers',
    option: 'requestheaderUidHeaders',
    type: listOf(text),
    help: 'Headers that give the uid of the user.',
  }),
  flag({
    name: 'requestheader-group-headers',
    option: 'requestheaderGroupHeaders',
    type: listOf(text),
    help: 'Headers that name groups of the user.',
  }),
  flag({
    name: 'requestheader-extra-headers-prefix',
    option: 'requestheaderExtraHeadersPrefixes',
    type: listOf(text),
    help: 'How headers with extra information about the user begin.',
  }),
]);

const authorization = inGroup('Authorization', [
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
    type: text,
    help: 'Policies of the mode ABAC, one a line.',
  }),
  flag({
    name: 'authorization-webhook-config-file',
    option: 'authorizationWebhookConfigFile',
    type: text,
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
    help: 'How long the webhook is believed when it allows something.',
  }),
  flag({
    name: 'authorization-webhook-cache-unauthorized-ttl',
    option: 'authorizationWebhookCacheUnauthorizedSeconds',
    type: duration,
    default: '30s',
    help: 'How long the webhook is believed when it does not.',
  }),
  flag({
    name: 'authorization-config',
    option: 'authorizationConfig',
    type: text,
    help: 'File of an AuthorizationConfiguration, instead of --authorization-mode and --authorization-webhook-*; read again when it changes.',
  }),
]);

const admission = inGroup('Admission', [
  flag({
    name: 'enable-admission-plugins',
    option: 'enableAdmissionPlugins',
    type: listOf(text),
    help: `Admission plugins to run besides those that are on by default, in any order: ${pluginNames(false)}.`,
  }),
  flag({
    name: 'disable-admission-plugins',
    option: 'disableAdmissionPlugins',
    type: listOf(text),
    help: `Admission plugins not to run; on by default are ${pluginNames(true)}.`,
  }),
  flag({
    name: 'admission-control-config-file',
    option: 'admissionControlConfigFile',
    type: text,
    help: 'AdmissionConfiguration file: how admission plugins are set up, inline or in files of their own.',
  }),
  flag({
    name: 'default-not-ready-toleration-seconds',
    option: 'defaultNotReadyTolerationSeconds',
    type: integer(-(2 ** 31), 2 ** 31 - 1),
    default: '300',
    help: 'Seconds after which pods that say nothing about it leave a node that is not ready.',
  }),
  flag({
    name: 'default-unreachable-toleration-seconds',
    option: 'defaultUnreachableTolerationSeconds',
    type: integer(-(2 ** 31), 2 ** 31 - 1),
    default: '300',
    help: 'Seconds after which pods that say nothing about it leave a node that cannot be reached.',
  }),
]);

/** Of those that this server has. */
function pluginNames(isOn: boolean): string {
  const wanted = builtInPlugins.filter((plugin) => plugin.isOn === isOn && plugin.create !== undefined);
  return wanted.map(({ name }) => name).join(', ');
}

const dialect = inGroup('Dialect', [
  flag({
    name: 'dialect',
    option: 'dialect',
    type: oneOf('kubernetes', 'cluster'),
    default: 'kubernetes',
    help: 'Names on the wire.',
  }),
  nameFlag('api-domain', 'apiDomain', 'Domain of the API groups, in the cluster dialect.'),
  nameFlag('label-domain', 'labelDomain', 'Domain of reserved labels, in the cluster dialect.'),
  nameFlag('system-namespace', 'systemNamespace', 'The system namespace, in the cluster dialect.'),
  nameFlag('public-namespace', 'publicNamespace', 'The public namespace, in the cluster dialect.'),
]);

const logging = inGroup('Logging', [
  flag({
    name: 'v',
    option: 'verbosity',
    type: integer(0, 10),
    default: '0',
    help: 'How much is logged: 0 warnings, 2 what happens, 4 everything.',
  }),
]);

export const serveFlags: readonly Flag[] = [
  ...storage,
  ...serving,
  ...api,
  ...authentication,
  ...authorization,
  ...admission,
  ...auditFlags,
  ...dialect,
  ...logging,
];
