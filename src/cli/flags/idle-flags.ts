// Flags of kube-apiserver and kube-controller-manager whose subject does not exist here. Command lines that have them
// start as they are; each one that is given is named in the log, with the reason.

import { duration, integer, oneOf, quantity, textOrNone, texts, yesOrNo } from '../../config/value-types.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { idle, inGroup } from './flag.ts';

const anyCount = integer(0, 2 ** 31 - 1);

const protobuf = `application/vnd.${kubernetes.vendor}.protobuf`;
const mediaTypes = ['application/json', 'application/yaml', protobuf];

const emulation = 'APIs are turned on by --runtime-config alone, whatever release is emulated';
const peers = 'API servers on one etcd serve the same APIs, so that none passes requests on to another';
const coordination = 'leaders are chosen by those who want to lead, not by the server';
const logWriter = 'lines of the log are written at once, all of them to the standard error';
const whenScraped = 'objects and sizes are counted when metrics are read';

const serving = inGroup('Serving', [
  idle({ name: 'emulation-forward-compatible', type: yesOrNo, default: 'false', reason: emulation }),
  idle({ name: 'runtime-config-emulation-forward-compatible', type: yesOrNo, default: 'false', reason: emulation }),
  idle({
    name: 'permit-address-sharing',
    type: yesOrNo,
    default: 'false',
    reason: 'the system always lets a new server have the address of one that has ended',
  }),
  idle({
    name: 'permit-port-sharing',
    type: yesOrNo,
    default: 'false',
    reason: 'the runtime opens ports for one process only',
  }),
  idle({
    name: 'egress-selector-config-file',
    type: textOrNone,
    reason: 'connections to nodes, webhooks and other servers are always direct',
  }),
  idle({
    name: 'max-connection-bytes-per-sec',
    type: anyCount,
    default: '0',
    reason: 'connections to pods and nodes run as fast as both ends can',
  }),
  idle({
    name: 'kubelet-timeout',
    type: duration,
    default: '5s',
    reason: 'requests to node agents have the time that any request has, in kube-apiserver as well',
  }),
  ...['kubelet-port', 'kubelet-read-only-port'].map((name) =>
    idle({
      name,
      type: integer(0, 65_535),
      default: name === 'kubelet-port' ? '10250' : '10255',
      reason: 'nodes say at which port their agent listens, in kube-apiserver as well',
      deprecated: 'it will be removed in a later release',
    }),
  ),
  idle({ name: 'peer-advertise-ip', type: textOrNone, reason: peers }),
  idle({ name: 'peer-advertise-port', type: textOrNone, reason: peers }),
  idle({ name: 'peer-ca-file', type: textOrNone, reason: peers }),
]);

const storage = inGroup('Storage', [
  idle({ name: 'etcd-count-metric-poll-period', type: duration, default: '1m', reason: whenScraped }),
  idle({ name: 'etcd-db-metric-poll-interval', type: duration, default: '30s', reason: whenScraped }),
  idle({
    name: 'storage-initialization-timeout',
    type: duration,
    default: '1m',
    reason: 'the server is ready as soon as the store answers; what it keeps in memory is read with the first use',
  }),
  idle({
    name: 'etcd-servers-overrides',
    type: texts,
    reason: 'all kinds are in one store, so that one history orders them',
  }),
  idle({
    name: 'storage-backend',
    type: { ...oneOf('etcd3'), isOptional: true },
    reason: 'the store is chosen by --store, or by --etcd-servers',
  }),
  idle({
    name: 'storage-media-type',
    type: { ...oneOf(...mediaTypes), placeholder: 'type', isOptional: true },
    default: protobuf,
    reason: 'objects are stored as JSON, which kube-apiserver reads as well',
  }),
  idle({
    name: 'watch-cache',
    type: yesOrNo,
    default: 'true',
    reason: 'reads and watches are always served from memory',
  }),
  idle({
    name: 'default-watch-cache-size',
    type: anyCount,
    default: '100',
    reason: 'how much history a watch can go back is set by --history or --etcd-compaction-interval',
    deprecated: 'caches find their size by themselves',
  }),
  idle({
    name: 'watch-cache-sizes',
    type: texts,
    reason: 'how much history a watch can go back is set by --history or --etcd-compaction-interval',
  }),
]);

const identity = inGroup('Authentication', [
  idle({
    name: 'service-account-signing-endpoint',
    type: textOrNone,
    reason: 'tokens are signed by this server, with the key of --service-account-signing-key-file or its own',
  }),
]);

const observation = inGroup('Observation', [
  idle({
    name: 'contention-profiling',
    type: yesOrNo,
    default: 'false',
    reason: 'there are no locks to profile: one thread serves requests',
  }),
  idle({
    name: 'debug-socket-path',
    type: textOrNone,
    reason: 'there is no socket for profiles; the inspector of Node takes them',
  }),
  idle({
    name: 'enable-logs-handler',
    type: yesOrNo,
    default: 'false',
    reason: 'the server serves no log files',
    deprecated: 'it will be removed in a later release',
  }),
]);

const logging = inGroup('Logging', [
  idle({ name: 'log-flush-frequency', type: duration, default: '5s', reason: logWriter }),
  idle({ name: 'log-json-info-buffer-size', type: quantity, default: '0', reason: logWriter }),
  idle({ name: 'log-json-split-stream', type: yesOrNo, default: 'false', reason: logWriter }),
  idle({ name: 'log-text-info-buffer-size', type: quantity, default: '0', reason: logWriter }),
  idle({ name: 'log-text-split-stream', type: yesOrNo, default: 'false', reason: logWriter }),
]);

const controllers = inGroup('Controllers', [
  idle({ name: 'coordinated-leadership-lease-duration', type: duration, default: '15s', reason: coordination }),
  idle({ name: 'coordinated-leadership-renew-deadline', type: duration, default: '10s', reason: coordination }),
  idle({ name: 'coordinated-leadership-retry-period', type: duration, default: '2s', reason: coordination }),
  idle({
    name: 'leader-elect-resource-lock',
    type: oneOf('leases'),
    default: 'leases',
    reason: 'the lock is always a Lease',
  }),
  idle({
    name: 'use-service-account-credentials',
    type: yesOrNo,
    default: 'false',
    reason: 'controllers are part of the server and need no credentials',
  }),
  idle({
    name: 'namespace-sync-period',
    type: duration,
    default: '5m',
    reason: 'the controller follows the store and looks again by itself while objects are left',
  }),
  idle({
    name: 'resource-quota-sync-period',
    type: duration,
    default: '5m',
    reason: 'the controller follows the store and counts what has changed',
  }),
  idle({
    name: 'legacy-service-account-token-clean-up-period',
    type: duration,
    default: '8760h',
    reason: 'token secrets stay until they are deleted',
  }),
]);

export const idleFlags = [...storage, ...serving, ...identity, ...controllers, ...observation, ...logging];
