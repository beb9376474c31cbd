// The flags of `keelson serve`: one table that parses them, documents them and maps them onto server options.

import { logAreas } from '../base/log-levels.ts';
import { usualAddressTypes } from '../config/serving-options.ts';
import { tlsVersionNames } from '../config/tls-options.ts';
import { type DialectNames, kubernetes } from '../meta/dialect.ts';
import { reconcilerTypes } from '../meta/reconciler-type.ts';
import { admissionFlags } from './admission-flags.ts';
import { aggregationFlags } from './aggregation-flags.ts';
import { auditFlags } from './audit-flags.ts';
import { authenticationFlags } from './authentication-flags.ts';
import { authorizationFlags } from './authorization-flags.ts';
import { type Flag, flag, inGroup, type Ungrouped } from './flag.ts';
import {
  duration,
  gates,
  given,
  integer,
  labelValues,
  listOf,
  number,
  oneOf,
  switches,
  text,
  textOrNone,
  texts,
  yesOrNo,
} from './flag-values.ts';
import { idleFlags } from './idle-flags.ts';
import { signingFlags } from './signing-flags.ts';
import { versionFlags } from './version-flags.ts';

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
    type: texts,
    help: 'Addresses of etcd, separated by commas; they imply --store=etcd.',
  }),
  flag({
    name: 'etcd-prefix',
    option: 'etcdPrefix',
    type: textOrNone,
    default: '/registry',
    help: 'Prefix of all keys in etcd.',
  }),
  flag({ name: 'etcd-cafile', option: 'etcdCaFile', type: textOrNone, help: 'PEM file of the CA of etcd.' }),
  flag({
    name: 'etcd-certfile',
    option: 'etcdCertFile',
    type: textOrNone,
    help: 'PEM file of the client certificate for etcd.',
  }),
  flag({
    name: 'etcd-keyfile',
    option: 'etcdKeyFile',
    type: textOrNone,
    help: 'PEM file of the key of --etcd-certfile.',
  }),
  flag({
    name: 'etcd-username',
    option: 'etcdUsername',
    type: textOrNone,
    help: 'User of etcd; the password comes from a file or from KEELSON_ETCD_PASSWORD.',
  }),
  flag({
    name: 'etcd-password-file',
    option: 'etcdPasswordFile',
    type: textOrNone,
    help: 'File with the password of --etcd-username.',
  }),
  flag({
    name: 'etcd-compaction-interval',
    option: 'etcdCompactionSeconds',
    type: duration,
    default: '5m',
    help: 'How long old versions are kept in etcd; with 0 this server never compacts etcd.',
  }),
  flag({
    name: 'encryption-provider-config',
    option: 'encryptionProviderConfig',
    type: textOrNone,
    help: 'EncryptionConfiguration file: how objects are stored. Providers are kms (v2), aescbc, aesgcm, secretbox and identity.',
  }),
  flag({
    name: 'encryption-provider-config-automatic-reload',
    option: 'encryptionProviderConfigAutomaticReload',
    type: yesOrNo,
    default: 'false',
    help: 'Whether the file of --encryption-provider-config is followed; one that cannot be used changes nothing.',
  }),
  flag({
    name: 'etcd-healthcheck-timeout',
    option: 'etcdHealthcheckTimeoutSeconds',
    type: duration,
    default: '2s',
    help: 'How long the store may take to answer checks of /livez and /healthz.',
  }),
  flag({
    name: 'etcd-readycheck-timeout',
    option: 'etcdReadycheckTimeoutSeconds',
    type: duration,
    default: '2s',
    help: 'How long the store may take to answer checks of /readyz.',
  }),
  flag({
    name: 'lease-reuse-duration-seconds',
    option: 'leaseReuseDurationSeconds',
    type: integer(0, 86_400),
    default: '60',
    help: 'Seconds for which keys of etcd that end by themselves share a lease.',
  }),
  flag({
    name: 'delete-collection-workers',
    option: 'deleteCollectionWorkers',
    type: integer(1, 10_000),
    default: '32',
    help: 'Objects that the deletion of a collection deletes at a time.',
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
    type: textOrNone,
    default: '127.0.0.1',
    help: 'Address to listen on.',
  }),
  flag({
    name: 'advertise-address',
    option: 'advertiseAddress',
    type: textOrNone,
    help: 'Address that the cluster is told; defaults to --bind-address, or where that is every address to one that other machines can use.',
  }),
  flag({
    name: 'endpoint-reconciler-type',
    option: 'endpointReconcilerType',
    type: oneOf(...reconcilerTypes),
    default: 'lease',
    help: 'How API servers on one etcd agree on the endpoints of their own service; none leaves the endpoints to other programs.',
  }),
  flag({
    name: 'apiserver-count',
    option: 'apiserverCount',
    type: integer(1, 1_000_000),
    default: '1',
    help: 'How many API servers there are, for --endpoint-reconciler-type=master-count.',
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
    type: textOrNone,
    help: 'PEM file of the serving certificate, read again when it changes; made at first start when not given.',
  }),
  flag({
    name: 'tls-private-key-file',
    option: 'tlsPrivateKeyFile',
    type: textOrNone,
    help: 'PEM file of the key of --tls-cert-file.',
  }),
  flag({
    name: 'tls-sni-cert-key',
    option: 'tlsSniCertKeys',
    type: { ...given(text), isOptional: true },
    help: 'A further certificate and its key for some names, cert.pem,key.pem or cert.pem,key.pem:*.example.com; once or several times.',
  }),
  flag({
    name: 'tls-min-version',
    option: 'tlsMinVersion',
    type: { ...oneOf(...tlsVersionNames), placeholder: 'version', isOptional: true },
    default: 'VersionTLS12',
    help: 'The oldest TLS version that clients may use.',
  }),
  flag({
    name: 'tls-cipher-suites',
    option: 'tlsCipherSuites',
    type: texts,
    help: 'Cipher suites up to TLS 1.2, by their IANA names; defaults to secure ones.',
  }),
  flag({
    name: 'tls-curve-preferences',
    option: 'tlsCurvePreferences',
    type: { ...listOf(integer(0, 65535)), isOptional: true },
    help: 'Groups for the exchange of keys, by their numbers: 23, 24 and 25 for P-256, P-384 and P-521, 29 for X25519.',
  }),
  flag({
    name: 'cert-dir',
    option: 'certDir',
    type: textOrNone,
    help: 'Folder whose apiserver.crt and apiserver.key are the serving certificate, where they are there and --tls-cert-file is not given.',
  }),
  flag({
    name: 'external-hostname',
    option: 'externalHostname',
    type: textOrNone,
    help: 'Name of the server for clients outside, which discovery shows.',
  }),
  flag({
    name: 'kubernetes-service-node-port',
    option: 'kubernetesServiceNodePort',
    type: integer(0, 65535),
    default: '0',
    help: 'Port of every node by which the service of the API servers is reached; 0 for none.',
  }),
  flag({
    name: 'disable-http2-serving',
    option: 'disableHttp2Serving',
    type: yesOrNo,
    default: 'false',
    help: 'Whether to speak HTTP/1.1 only.',
  }),
  flag({
    name: 'goaway-chance',
    option: 'goawayChance',
    type: number,
    default: '0',
    help: 'How likely a request over HTTP/2 ends its connection, up to 0.02, so that clients spread over several servers.',
  }),
  flag({
    name: 'cors-allowed-origins',
    option: 'corsAllowedOrigins',
    type: texts,
    help: 'Regular expressions of origins whose pages may use the server from a browser, such as //www.example.com(:|$).',
  }),
  flag({
    name: 'strict-transport-security-directives',
    option: 'strictTransportSecurityDirectives',
    type: texts,
    help: 'Directives of a Strict-Transport-Security header: max-age=31536000, includeSubDomains, preload.',
  }),
  flag({
    name: 'http2-max-streams-per-connection',
    option: 'http2MaxStreamsPerConnection',
    type: integer(0, 1_000_000),
    default: '0',
    help: 'Requests that a client may have under way on one connection of HTTP/2; 0 for 100.',
  }),
  flag({
    name: 'max-connections',
    option: 'maxConnections',
    type: integer(1, 1_000_000),
    default: '10000',
    help: 'Connections that may be open at once; more are closed as soon as they are made.',
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
    type: textOrNone,
    help: 'PEM file of the CA of node agents; their certificates are not checked when not given.',
  }),
  flag({
    name: 'kubelet-client-certificate',
    option: 'kubeletClientCertificate',
    type: textOrNone,
    help: 'PEM file of the client certificate that the server uses for node agents.',
  }),
  flag({
    name: 'kubelet-client-key',
    option: 'kubeletClientKey',
    type: textOrNone,
    help: 'PEM file of the key of --kubelet-client-certificate.',
  }),
  flag({
    name: 'kubelet-preferred-address-types',
    option: 'kubeletPreferredAddressTypes',
    type: texts,
    default: usualAddressTypes.join(','),
    help: 'Which address of a node is used: the first of these types that it has.',
  }),
  flag({
    name: 'request-timeout',
    option: 'requestTimeoutSeconds',
    type: duration,
    default: '1m',
    help: 'How long a request may take before its answer begins.',
  }),
  flag({
    name: 'max-requests-inflight',
    option: 'maxRequestsInflight',
    type: integer(0, 1_000_000),
    default: '400',
    help: 'Requests that only read and may be under way at once; 0 for any number. More are answered with 429.',
  }),
  flag({
    name: 'max-mutating-requests-inflight',
    option: 'maxMutatingRequestsInflight',
    type: integer(0, 1_000_000),
    default: '200',
    help: 'Requests that may change something and may be under way at once; 0 for any number. More are answered with 429.',
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
  flag({
    name: 'shutdown-delay-duration',
    option: 'shutdownDelaySeconds',
    type: duration,
    default: '0s',
    help: 'How long the server keeps serving after SIGTERM while /readyz fails, so that load balancers send requests elsewhere.',
  }),
  flag({
    name: 'shutdown-send-retry-after',
    option: 'shutdownSendRetryAfter',
    type: yesOrNo,
    default: 'false',
    help: 'Whether requests that come while the server stops are answered with 429 and Retry-After instead of a closed port.',
  }),
  flag({
    name: 'livez-grace-period',
    option: 'livezGraceSeconds',
    type: duration,
    default: '0s',
    help: 'How long after the start /livez succeeds even if the steps of the start have not finished.',
  }),
]);

const observation = inGroup('Observation', [
  flag({
    name: 'profiling',
    option: 'profiling',
    type: yesOrNo,
    default: 'true',
    help: 'Whether what is logged can be changed below /debug/flags.',
  }),
  flag({
    name: 'show-hidden-metrics-for-version',
    option: 'showHiddenMetricsForVersion',
    type: textOrNone,
    help: 'Shows metrics that this release hides and the release before, 1.35, still showed.',
  }),
  flag({
    name: 'disabled-metrics',
    option: 'disabledMetrics',
    type: texts,
    help: 'Metrics that are not shown, by name.',
  }),
  flag({
    name: 'allow-metric-labels',
    option: 'allowMetricLabels',
    type: labelValues,
    help: "Values that a label of a metric may have, metric,label='one,two'; others are shown as unexpected.",
  }),
  flag({
    name: 'allow-metric-labels-manifest',
    option: 'allowMetricLabelsManifest',
    type: textOrNone,
    help: 'YAML file with the same, which counts where --allow-metric-labels is not given.',
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
    type: gates,
    help: 'Turns behaviour on or off by name, as in AllAlpha=true; changes something here: APIListChunking (lists in pages; on), ClusterTrustBundle (publishes the CA; off), DRAResourceClaimGranularStatusAuthorization (rights to bind device claims and to report about devices; on), GenericWorkload, WorkloadWithJob (groups of pods; off), ManifestBasedAdmissionControlConfig (admission from files; off), NodeDeclaredFeatures, PodTopologyLabelsAdmission (on), PodCertificateRequest (deletes old requests of pods for certificates; off), PodLogsQuerySplitStreams (logs of one stream; off).',
  }),
  flag({
    name: 'service-cluster-ip-range',
    option: 'serviceClusterIpRange',
    // one text to the reference, which shows it as it was given
    type: { ...texts, show: (given) => given.join(',') },
    default: '10.0.0.0/24',
    help: 'CIDR range that services get their addresses from; one of each IP family, separated by a comma, for both.',
  }),
  flag({
    name: 'service-node-port-range',
    option: 'serviceNodePortRange',
    type: textOrNone,
    default: '30000-32767',
    help: 'Ports that services may open on every node.',
  }),
]);

const syncs = (name: string, option: SyncOption, workers: number, about: string) =>
  flag({ name, option, type: integer(1, 10_000), default: String(workers), help: `${about} at a time.` });

type SyncOption =
  | 'concurrentGcSyncs'
  | 'concurrentNamespaceSyncs'
  | 'concurrentResourceQuotaSyncs'
  | 'concurrentServiceaccountTokenSyncs';

const controllers = inGroup('Controllers', [
  flag({
    name: 'controllers',
    option: 'controllers',
    type: texts,
    default: '*',
    help: 'Controllers to run: * for all that are on by default, name for one more, -name for one less.',
  }),
  flag({
    name: 'enable-garbage-collector',
    option: 'enableGarbageCollector',
    type: yesOrNo,
    default: 'true',
    help: 'Whether objects go with their owners.',
  }),
  flag({
    name: 'leader-elect',
    option: 'leaderElect',
    type: yesOrNo,
    default: 'true',
    help: 'Whether servers on one etcd agree on which of them runs the controllers.',
  }),
  flag({
    name: 'leader-elect-lease-duration',
    option: 'leaderElectLeaseDurationSeconds',
    type: duration,
    default: '15s',
    help: 'How long a leader that does nothing keeps its place.',
  }),
  flag({
    name: 'leader-elect-renew-deadline',
    option: 'leaderElectRenewDeadlineSeconds',
    type: duration,
    default: '10s',
    help: 'How long a leader goes on without having renewed its place.',
  }),
  flag({
    name: 'leader-elect-retry-period',
    option: 'leaderElectRetryPeriodSeconds',
    type: duration,
    default: '2s',
    help: 'How often a server looks whether it may lead.',
  }),
  flag({
    name: 'leader-elect-resource-name',
    option: 'leaderElectResourceName',
    type: textOrNone,
    default: 'keelson-controllers',
    help: 'Name of the Lease of the leader.',
  }),
  flag({
    name: 'leader-elect-resource-namespace',
    option: 'leaderElectResourceNamespace',
    type: textOrNone,
    default: kubernetes.systemNamespace,
    help: 'Namespace of the Lease of the leader.',
  }),
  flag({
    name: 'root-ca-file',
    option: 'rootCaFile',
    type: textOrNone,
    help: "PEM file of the CA that programs in the cluster are told to trust; the server's own when not given.",
  }),
  syncs('concurrent-gc-syncs', 'concurrentGcSyncs', 64, 'Objects that are collected'),
  syncs('concurrent-namespace-syncs', 'concurrentNamespaceSyncs', 4, 'Namespaces that are emptied'),
  syncs('concurrent-resource-quota-syncs', 'concurrentResourceQuotaSyncs', 4, 'Quotas that are counted'),
  syncs(
    'concurrent-serviceaccount-token-syncs',
    'concurrentServiceaccountTokenSyncs',
    4,
    'Token secrets that are filled',
  ),
]);

const dialect = inGroup('Dialect', [
  flag({
    name: 'dialect',
    option: 'dialect',
    type: oneOf('kubernetes', 'cluster'),
    default: 'kubernetes',
    help: 'Names and behaviour on the wire: those of Kubernetes, or those of the specification.',
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
    help: 'How much is logged: 0 what an operator must act on, 1 also start, stop and configuration, 2 requests that failed or were slow, 3 every request, 4 decisions.',
  }),
  flag({
    name: 'vmodule',
    option: 'vmodule',
    type: textOrNone,
    help: `Levels of their own for some areas, such as requests=3,webhooks=4; areas are ${logAreas.join(', ')}.`,
  }),
  flag({
    name: 'logging-format',
    option: 'loggingFormat',
    type: oneOf('text', 'json'),
    help: 'How lines of the log look; text on a terminal and json elsewhere when not given.',
  }),
]);

const runtime = inGroup('Runtime', [
  flag({
    name: 'plain-runtime',
    option: 'plainRuntime',
    type: yesOrNo,
    default: 'false',
    help: 'Whether to rely on documented behaviour of Node and V8 only, which is slower; as KEELSON_PLAIN_RUNTIME=1 does.',
  }),
]);

export const serveFlags: readonly Flag[] = [
  ...storage,
  ...serving,
  ...api,
  ...controllers,
  ...versionFlags,
  ...authenticationFlags,
  ...authorizationFlags,
  ...admissionFlags,
  ...aggregationFlags,
  ...auditFlags,
  ...signingFlags,
  ...dialect,
  ...observation,
  ...logging,
  ...runtime,
  ...idleFlags,
];
