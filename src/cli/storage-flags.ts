// Flags about where and how objects are stored.

import { type Flag, flag, inGroup } from './flag.ts';
import { duration, integer, oneOf, text, textOrNone, texts, yesOrNo } from './flag-values.ts';

export const defaultDataDir = 'keelson-data';

export const storageFlags: readonly Flag[] = inGroup('Storage', [
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
