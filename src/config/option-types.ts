// Checks of options from programs without types: unknown names and values of another type are reported at the start.

import { suggestion } from '../base/nearest-name.ts';
import { OptionError } from './option-error.ts';
import type { ServerOptions } from './options.ts';

/** What the value of an option is. */
type OptionType = keyof typeof checks;

const isText = (value: unknown) => typeof value === 'string';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isAllOf = (check: (value: unknown) => boolean) => (value: unknown) =>
  isObject(value) && Object.values(value as object).every(check);

const checks = {
  text: { is: 'a text', check: isText },
  number: { is: 'a number', check: (value: unknown) => typeof value === 'number' },
  flag: { is: 'true or false', check: (value: unknown) => typeof value === 'boolean' },
  numbers: {
    is: 'a list of numbers',
    check: (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === 'number'),
  },
  texts: { is: 'a list of texts', check: (value: unknown) => Array.isArray(value) && value.every(isText) },
  flags: {
    is: 'an object of true and false by name',
    check: isAllOf((value) => typeof value === 'boolean'),
  },
  numberOrText: {
    is: 'a number or a text',
    check: (value: unknown) => typeof value === 'number' || isText(value),
  },
  namedTexts: { is: 'an object of texts by name', check: isAllOf(isText) },
  object: { is: 'an object', check: isObject },
  function: { is: 'a function', check: (value: unknown) => typeof value === 'function' },
  textOrObject: { is: 'a text or an object', check: (value: unknown) => isText(value) || isObject(value) },
};

const optionTypes = {
  store: 'textOrObject',
  etcdServers: 'texts',
  etcdPrefix: 'text',
  etcdCaFile: 'text',
  etcdCertFile: 'text',
  etcdKeyFile: 'text',
  etcdUsername: 'text',
  etcdPassword: 'text',
  etcdPasswordFile: 'text',
  etcdCompactionSeconds: 'number',
  eventTtlSeconds: 'number',
  dataDir: 'text',
  bindAddress: 'text',
  securePort: 'number',
  threads: 'numberOrText',
  largeRequestBytes: 'number',
  advertiseAddress: 'text',
  endpointReconcilerType: 'text',
  apiserverCount: 'number',
  allowPrivileged: 'flag',
  kubeletCertificateAuthority: 'text',
  kubeletClientCertificate: 'text',
  kubeletClientKey: 'text',
  dialect: 'textOrObject',
  dialectNames: 'object',
  runtimeConfig: 'flags',
  featureGates: 'flags',
  audit: 'object',
  controllers: 'texts',
  serviceClusterIpRange: 'texts',
  serviceNodePortRange: 'text',
  historySeconds: 'number',
  requestTimeoutSeconds: 'number',
  maxRequestsInflight: 'number',
  maxMutatingRequestsInflight: 'number',
  enablePriorityAndFairness: 'flag',
  minRequestTimeoutSeconds: 'number',
  shutdownGraceSeconds: 'number',
  shutdownDelaySeconds: 'number',
  livezGraceSeconds: 'number',
  showHiddenMetricsForVersion: 'text',
  log: 'object',
  verbosity: 'number',
  vmodule: 'text',
  commandLine: 'namedTexts',
  clock: 'object',
  anonymousAuth: 'flag',
  clientCaFile: 'text',
  tokenAuthFile: 'text',
  enableBootstrapTokenAuth: 'flag',
  serviceAccountIssuers: 'texts',
  serviceAccountSigningKeyFile: 'text',
  serviceAccountPrivateKeyFile: 'text',
  serviceAccountKeyFiles: 'texts',
  serviceAccountLookup: 'flag',
  serviceAccountMaxTokenExpirationSeconds: 'number',
  serviceAccountExtendTokenExpiration: 'flag',
  serviceAccountJwksUri: 'text',
  apiAudiences: 'texts',
  authenticationConfig: 'text',
  oidcIssuerUrl: 'text',
  oidcClientId: 'text',
  oidcUsernameClaim: 'text',
  oidcUsernamePrefix: 'text',
  oidcGroupsClaim: 'text',
  oidcGroupsPrefix: 'text',
  oidcRequiredClaims: 'namedTexts',
  oidcCaFile: 'text',
  oidcSigningAlgs: 'texts',
  authenticationTokenWebhookConfigFile: 'text',
  authenticationTokenWebhookVersion: 'text',
  authenticationTokenWebhookCacheSeconds: 'number',
  proxyClientCertFile: 'text',
  proxyClientKeyFile: 'text',
  requestheaderClientCaFile: 'text',
  requestheaderAllowedNames: 'texts',
  requestheaderUsernameHeaders: 'texts',
  requestheaderUidHeaders: 'texts',
  requestheaderGroupHeaders: 'texts',
  requestheaderExtraHeadersPrefixes: 'texts',
  authorizationModes: 'texts',
  authorizationPolicyFile: 'text',
  authorizationWebhookConfigFile: 'text',
  authorizationWebhookVersion: 'text',
  authorizationWebhookCacheAuthorizedSeconds: 'number',
  authorizationWebhookCacheUnauthorizedSeconds: 'number',
  authorizationConfig: 'text',
  enableAdmissionPlugins: 'texts',
  disableAdmissionPlugins: 'texts',
  admissionControlConfigFile: 'text',
  cloudConfigFile: 'text',
  locateVolume: 'function',
  defaultNotReadyTolerationSeconds: 'number',
  defaultUnreachableTolerationSeconds: 'number',
  clusterSigningCertFile: 'text',
  clusterSigningKeyFile: 'text',
  clusterSigningDurationSeconds: 'number',
  clusterSigningKubeApiserverClientCertFile: 'text',
  clusterSigningKubeApiserverClientKeyFile: 'text',
  clusterSigningKubeletClientCertFile: 'text',
  clusterSigningKubeletClientKeyFile: 'text',
  clusterSigningKubeletServingCertFile: 'text',
  clusterSigningKubeletServingKeyFile: 'text',
  clusterSigningLegacyUnknownCertFile: 'text',
  clusterSigningLegacyUnknownKeyFile: 'text',
  enableAggregatorRouting: 'flag',
  aggregatorRejectForwardingRedirect: 'flag',
  webhookServiceAddresses: 'texts',
  tlsCertFile: 'text',
  tlsPrivateKeyFile: 'text',
  tlsSniCertKeys: 'texts',
  tlsMinVersion: 'text',
  tlsCipherSuites: 'texts',
  http2MaxStreamsPerConnection: 'number',
  maxConnections: 'number',
  admissionControl: 'texts',
  allowMetricLabels: 'namedTexts',
  allowMetricLabelsManifest: 'text',
  certDir: 'text',
  concurrentGcSyncs: 'number',
  concurrentNamespaceSyncs: 'number',
  concurrentResourceQuotaSyncs: 'number',
  concurrentServiceaccountTokenSyncs: 'number',
  terminatedPodGcThreshold: 'number',
  corsAllowedOrigins: 'texts',
  deleteCollectionWorkers: 'number',
  disableHttp2Serving: 'flag',
  http2: 'text',
  disabledMetrics: 'texts',
  emulatedVersion: 'texts',
  enableGarbageCollector: 'flag',
  encryptionProviderConfig: 'text',
  encryptionProviderConfigAutomaticReload: 'flag',
  etcdHealthcheckTimeoutSeconds: 'number',
  etcdReadycheckTimeoutSeconds: 'number',
  externalHostname: 'text',
  goawayChance: 'number',
  kubeletPreferredAddressTypes: 'texts',
  kubernetesServiceNodePort: 'number',
  leaderElect: 'flag',
  leaderElectLeaseDurationSeconds: 'number',
  leaderElectRenewDeadlineSeconds: 'number',
  leaderElectResourceName: 'text',
  leaderElectResourceNamespace: 'text',
  leaderElectRetryPeriodSeconds: 'number',
  leaseReuseDurationSeconds: 'number',
  minCompatibilityVersion: 'texts',
  profiling: 'flag',
  rootCaFile: 'text',
  shutdownSendRetryAfter: 'flag',
  simulate: 'texts',
  simulateRules: 'text',
  simulation: 'object',
  strictTransportSecurityDirectives: 'texts',
  tlsCurvePreferences: 'numbers',
} as const satisfies Required<Record<keyof ServerOptions, OptionType>>;

/** Throws an OptionError that names the option. `more` are names that the caller knows besides. */
export function checkOptions(options: object, more: readonly string[] = []): void {
  const types: ReadonlyMap<string, OptionType> = new Map(Object.entries(optionTypes));
  for (const [name, value] of Object.entries(options)) {
    const type = types.get(name);
    if (more.includes(name)) continue;
    if (type === undefined)
      throw new OptionError(`unknown option ${name}${suggestion(name, [...types.keys(), ...more])}`);
    if (value !== undefined && !checks[type].check(value))
      throw new OptionError(`${name}: ${textOf(value)} is not ${checks[type].is}`);
  }
}

const textOf = (value: unknown): string => {
  const text = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

/** Throws an OptionError for a name in an option that is an object. `names` are those that it has. */
export function checkNames(option: string, given: object, names: Readonly<Record<string, true>>): void {
  for (const name of Object.keys(given))
    if (!Object.hasOwn(names, name))
      throw new OptionError(`${option}: unknown option ${name}${suggestion(name, Object.keys(names))}`);
}
