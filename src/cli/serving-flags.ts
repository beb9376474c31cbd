// Flags about the port, its certificates, and how requests are served.

import { usualAddressTypes } from '../config/serving-options.ts';
import { usualLargeBytes } from '../config/thread-options.ts';
import { tlsVersionNames } from '../config/tls-options.ts';
import { reconcilerTypes } from '../meta/reconciler-type.ts';
import { http2Implementations } from '../transport/http2-implementation.ts';
import { type Flag, flag, inGroup } from './flag.ts';
import {
  duration,
  given,
  integer,
  listOf,
  number,
  oneOf,
  text,
  textOrNone,
  texts,
  type ValueType,
  yesOrNo,
} from './flag-values.ts';

export const defaultPort = 6443;

const anyNumberOfThreads = integer(1, 64);
export const threadCount: ValueType<number | 'auto'> = {
  placeholder: 'int|auto',
  parse: (value) => (value === 'auto' ? value : anyNumberOfThreads.parse(value)),
};

export const servingFlags: readonly Flag[] = inGroup('Serving', [
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
    help: 'Address that clients in the cluster use; defaults to --bind-address, or where that is every address to one that other machines can reach.',
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
    deprecated: 'servers that share a store know of each other without it',
  }),
  flag({
    name: 'secure-port',
    option: 'securePort',
    type: integer(0, 65535),
    default: String(defaultPort),
    help: 'Port to listen on; 0 picks a free one.',
  }),
  flag({
    name: 'threads',
    option: 'threads',
    type: threadCount,
    default: 'auto',
    help: 'Threads that serve requests: a number, or auto for one, and more while all are busy, up to the number of cores; KEELSON_THREADS where the flag is not given.',
  }),
  flag({
    name: 'large-request-bytes',
    option: 'largeRequestBytes',
    type: integer(0, 2 ** 31 - 1),
    default: String(usualLargeBytes),
    help: 'Requests with a larger body, or that change a larger object, are served by a thread of their own; 0 serves all on the thread that receives them.',
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
    help: 'Folder whose apiserver.crt and apiserver.key are the serving certificate where --tls-cert-file is not given. They are made where they are not there.',
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
    name: 'http2',
    option: 'http2',
    type: oneOf(...http2Implementations),
    default: 'own',
    help: "Which implementation of HTTP/2 serves connections: the own one, or Node's as a fallback; node with --plain-runtime.",
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
    name: 'enable-priority-and-fairness',
    option: 'enablePriorityAndFairness',
    type: yesOrNo,
    default: 'true',
    help: 'Sorts requests into priority levels, which share the two limits of requests under way. Without it only these limits apply.',
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
