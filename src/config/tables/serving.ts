// Options of the port, its certificates, and how requests are served.

import { reconcilerTypes } from '../../meta/reconciler-type.ts';
import { http2Implementations } from '../../transport/http2-implementation.ts';
import { option } from '../option.ts';
import {
  between,
  countOfBytes,
  countOfRequests,
  oneOfChoices,
  port,
  positiveCount,
  positiveSeconds,
  secondsOrZero,
  wholeNumberFrom,
} from '../option-checks.ts';
import { tlsVersionNames } from '../tls-options.ts';
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
} from '../value-types.ts';

/** What the command uses. */
export const defaultPort = 6443;
export const usualLargeBytes = 128 * 1024;
/** More would cost more connections than they are worth. */
const maxGoawayChance = 0.02;

const countOfThreads = integer(1, 64);
export const threadCount: ValueType<number | 'auto'> = {
  ...{ ts: "number | 'auto'", is: 'a number or a text' },
  check: (value) => typeof value === 'number' || typeof value === 'string',
  placeholder: 'int|auto',
  parse: (value) => (value === 'auto' ? value : countOfThreads.parse(value)),
};

export const servingOptions = {
  bindAddress: option({ type: textOrNone, flag: 'bind-address', default: '127.0.0.1', help: 'Address to listen on.' }),
  advertiseAddress: option({
    type: textOrNone,
    flag: 'advertise-address',
    help: 'Address that clients in the cluster use; defaults to --bind-address, or where that is every address to one that other machines can reach.',
  }),
  endpointReconcilerType: option({
    type: oneOf(...reconcilerTypes),
    flag: 'endpoint-reconciler-type',
    default: 'lease',
    help: 'How API servers on one etcd agree on the endpoints of their own service; none leaves the endpoints to other programs.',
    check: oneOfChoices(reconcilerTypes),
  }),
  apiserverCount: option({
    type: integer(1, 1_000_000),
    flag: 'apiserver-count',
    default: '1',
    help: 'How many API servers there are, for --endpoint-reconciler-type=master-count.',
    deprecated: 'servers that share a store know of each other without it',
    check: positiveCount,
  }),
  securePort: option({
    type: integer(0, 65535),
    flag: 'secure-port',
    help: 'Port to listen on; 0 picks a free one.',
    default: '0',
    flagDefault: String(defaultPort),
    check: port,
  }),
  threads: option({
    type: threadCount,
    flag: 'threads',
    help: 'Threads that serve requests: a number, or auto for one, and more while all are busy, up to the number of cores; KEELSON_THREADS where the flag is not given.',
    default: '1',
    flagDefault: 'auto',
    note: '1 when not given. More than one needs dataDir, options that are plain data, and a system on which threads can share a port.',
  }),
  largeRequestBytes: option({
    type: integer(0, 2 ** 31 - 1),
    flag: 'large-request-bytes',
    help: 'Requests with a larger body, or that change a larger object, are served by a thread of their own; 0 serves all on the thread that receives them.',
    default: '0',
    flagDefault: String(usualLargeBytes),
    check: countOfBytes,
    note: 'Needs what several threads need, and has no effect without.',
  }),
  tlsCertFile: option({
    type: textOrNone,
    flag: 'tls-cert-file',
    help: 'PEM file of the serving certificate, read again when it changes; made at first start when not given.',
  }),
  tlsPrivateKeyFile: option({
    type: textOrNone,
    flag: 'tls-private-key-file',
    help: 'PEM file of the key of --tls-cert-file.',
  }),
  tlsSniCertKeys: option({
    type: { ...given(text), isOptional: true },
    flag: 'tls-sni-cert-key',
    help: 'A further certificate and its key for some names, cert.pem,key.pem or cert.pem,key.pem:*.example.com; once or several times.',
  }),
  tlsMinVersion: option({
    type: { ...oneOf(...tlsVersionNames), placeholder: 'version', isOptional: true },
    flag: 'tls-min-version',
    default: 'VersionTLS12',
    help: 'The oldest TLS version that clients may use.',
    check: oneOfChoices(tlsVersionNames),
  }),
  tlsCipherSuites: option({
    type: texts,
    flag: 'tls-cipher-suites',
    help: 'Cipher suites up to TLS 1.2, by their IANA names; defaults to secure ones.',
  }),
  tlsCurvePreferences: option({
    type: { ...listOf(integer(0, 65535)), isOptional: true },
    flag: 'tls-curve-preferences',
    help: 'Groups for the exchange of keys, by their numbers: 23, 24 and 25 for P-256, P-384 and P-521, 29 for X25519.',
  }),
  certDir: option({
    type: textOrNone,
    flag: 'cert-dir',
    help: 'Folder whose apiserver.crt and apiserver.key are the serving certificate where --tls-cert-file is not given. They are made where they are not there.',
  }),
  externalHostname: option({
    type: textOrNone,
    flag: 'external-hostname',
    help: 'Name of the server for clients outside, which discovery shows.',
  }),
  kubernetesServiceNodePort: option({
    type: integer(0, 65535),
    flag: 'kubernetes-service-node-port',
    default: '0',
    help: 'Port of every node by which the service of the API servers is reached; 0 for none.',
  }),
  disableHttp2Serving: option({
    type: yesOrNo,
    flag: 'disable-http2-serving',
    default: 'false',
    help: 'Whether to speak HTTP/1.1 only.',
  }),
  http2: option({
    type: oneOf(...http2Implementations),
    flag: 'http2',
    flagDefault: 'own',
    help: "Which implementation of HTTP/2 serves connections: the own one, or Node's as a fallback; node with --plain-runtime.",
    check: oneOfChoices(http2Implementations),
  }),
  enableUi: option({
    type: yesOrNo,
    flag: 'enable-ui',
    default: 'false',
    help: 'Serves the web console at /ui/ and prints a link to sign in, which works once, from this machine; on with npm start.',
  }),
  goawayChance: option({
    type: number,
    flag: 'goaway-chance',
    default: '0',
    help: 'How likely a request over HTTP/2 ends its connection, up to 0.02, so that clients spread over several servers.',
    check: between(0, maxGoawayChance, 'can not be less than 0 or greater than 0.02'),
  }),
  corsAllowedOrigins: option({
    type: texts,
    flag: 'cors-allowed-origins',
    help: 'Regular expressions of origins whose pages may use the server from a browser, such as //www.example.com(:|$).',
  }),
  strictTransportSecurityDirectives: option({
    type: texts,
    flag: 'strict-transport-security-directives',
    help: 'Directives of a Strict-Transport-Security header: max-age=31536000, includeSubDomains, preload.',
  }),
  http2MaxStreamsPerConnection: option({
    type: integer(0, 1_000_000),
    flag: 'http2-max-streams-per-connection',
    default: '0',
    help: 'Requests that a client may have under way on one connection of HTTP/2; 0 for 100.',
    check: wholeNumberFrom(0),
  }),
  maxConnections: option({
    type: integer(1, 1_000_000),
    flag: 'max-connections',
    default: '10000',
    help: 'Connections that may be open at once; more are closed as soon as they are made.',
    check: wholeNumberFrom(1),
  }),
  allowPrivileged: option({
    type: yesOrNo,
    flag: 'allow-privileged',
    default: 'false',
    help: 'Whether containers may be privileged.',
  }),
  kubeletCertificateAuthority: option({
    type: textOrNone,
    flag: 'kubelet-certificate-authority',
    help: 'PEM file of the CA of node agents; their certificates are not checked when not given.',
  }),
  kubeletClientCertificate: option({
    type: textOrNone,
    flag: 'kubelet-client-certificate',
    help: 'PEM file of the client certificate that the server uses for node agents.',
  }),
  kubeletClientKey: option({
    type: textOrNone,
    flag: 'kubelet-client-key',
    help: 'PEM file of the key of --kubelet-client-certificate.',
  }),
  kubeletPreferredAddressTypes: option({
    type: texts,
    flag: 'kubelet-preferred-address-types',
    help: 'Which address of a node is used: the first of these types that it has.',
    default: 'Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP',
  }),
  requestTimeoutSeconds: option({
    type: duration,
    flag: 'request-timeout',
    default: '1m',
    help: 'How long a request may take before its answer begins.',
    check: positiveSeconds,
  }),
  maxRequestsInflight: option({
    type: integer(0, 1_000_000),
    flag: 'max-requests-inflight',
    default: '400',
    help: 'Requests that only read and may be under way at once; 0 for any number. More are answered with 429.',
    check: countOfRequests,
  }),
  maxMutatingRequestsInflight: option({
    type: integer(0, 1_000_000),
    flag: 'max-mutating-requests-inflight',
    default: '200',
    help: 'Requests that may change something and may be under way at once; 0 for any number. More are answered with 429.',
    check: countOfRequests,
  }),
  enablePriorityAndFairness: option({
    type: yesOrNo,
    flag: 'enable-priority-and-fairness',
    default: 'true',
    help: 'Sorts requests into priority levels, which share the two limits of requests under way. Without it only these limits apply.',
  }),
  minRequestTimeoutSeconds: option({
    type: integer(1, 86_400),
    flag: 'min-request-timeout',
    default: '1800',
    help: 'Seconds a watch lasts at least when the client does not say.',
    check: positiveSeconds,
  }),
  shutdownGraceSeconds: option({
    type: duration,
    flag: 'shutdown-grace-period',
    default: '10s',
    help: 'How long requests under way may take to finish at shutdown.',
    check: secondsOrZero,
  }),
  shutdownDelaySeconds: option({
    type: duration,
    flag: 'shutdown-delay-duration',
    default: '0s',
    help: 'How long the server keeps serving after SIGTERM while /readyz fails, so that load balancers send requests elsewhere.',
    check: secondsOrZero,
  }),
  shutdownWatchGraceSeconds: option({
    type: duration,
    flag: 'shutdown-watch-termination-grace-period',
    default: '0s',
    help: 'How long watches may take to end at shutdown: one after the other, when other requests have finished. With 0 all end at once.',
    check: secondsOrZero,
  }),
  shutdownSendRetryAfter: option({
    type: yesOrNo,
    flag: 'shutdown-send-retry-after',
    default: 'false',
    help: 'Whether requests that come while the server stops are answered with 429 and Retry-After instead of a closed port.',
  }),
  livezGraceSeconds: option({
    type: duration,
    flag: 'livez-grace-period',
    default: '0s',
    help: 'How long after the start /livez succeeds even if the steps of the start have not finished.',
    check: secondsOrZero,
  }),
};
