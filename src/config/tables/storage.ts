// Options of where and how objects are stored.

import type { Store } from '../../storage/store.ts';
import { option } from '../option.ts';
import { positiveCount, positiveSeconds, secondsOrZero } from '../option-checks.ts';
import { duration, integer, object, oneOf, orObject, text, textOrNone, texts, yesOrNo } from '../value-types.ts';

/** What the command uses. */
export const defaultDataDir = 'keelson-data';

export const storageOptions = {
  dataDir: option({
    type: text,
    flag: 'data-dir',
    help: 'Folder of the store, the certificates and the kubeconfig.',
    flagDefault: defaultDataDir,
  }),
  store: option({
    type: orObject<'embedded' | 'memory' | 'etcd', Store>(
      oneOf('embedded', 'memory', 'etcd'),
      object('Store', '../storage/store.ts'),
    ),
    flag: 'store',
    flagDefault: 'embedded',
    help: 'Where objects are kept: on disk in the data folder, in memory, or in etcd.',
    note: 'A program may give its own store; memory when not given.',
  }),
  etcdServers: option({
    type: texts,
    flag: 'etcd-servers',
    help: 'Addresses of etcd, separated by commas; they imply --store=etcd.',
  }),
  etcdPrefix: option({
    type: textOrNone,
    flag: 'etcd-prefix',
    default: '/registry',
    help: 'Prefix of all keys in etcd.',
  }),
  etcdCaFile: option({ type: textOrNone, flag: 'etcd-cafile', help: 'PEM file of the CA of etcd.' }),
  etcdCertFile: option({
    type: textOrNone,
    flag: 'etcd-certfile',
    help: 'PEM file of the client certificate for etcd.',
  }),
  etcdKeyFile: option({ type: textOrNone, flag: 'etcd-keyfile', help: 'PEM file of the key of --etcd-certfile.' }),
  etcdUsername: option({
    type: textOrNone,
    flag: 'etcd-username',
    help: 'User of etcd; the password comes from a file or from KEELSON_ETCD_PASSWORD.',
  }),
  etcdPassword: option({ type: text, help: 'Password of --etcd-username.' }),
  etcdPasswordFile: option({
    type: textOrNone,
    flag: 'etcd-password-file',
    help: 'File with the password of --etcd-username.',
  }),
  etcdCompactionSeconds: option({
    type: duration,
    flag: 'etcd-compaction-interval',
    default: '5m',
    help: 'How long old versions are kept in etcd; with 0 this server never compacts etcd.',
    check: (value) => (value === 0 ? undefined : positiveSeconds(value)),
  }),
  encryptionProviderConfig: option({
    type: textOrNone,
    flag: 'encryption-provider-config',
    help: 'EncryptionConfiguration file: how objects are stored. Providers are kms (v2), aescbc, aesgcm, secretbox and identity.',
  }),
  encryptionProviderConfigAutomaticReload: option({
    type: yesOrNo,
    flag: 'encryption-provider-config-automatic-reload',
    default: 'false',
    help: 'Whether the file of --encryption-provider-config is followed; one that cannot be used changes nothing.',
  }),
  etcdHealthcheckTimeoutSeconds: option({
    type: duration,
    flag: 'etcd-healthcheck-timeout',
    default: '2s',
    help: 'How long the store may take to answer checks of /livez and /healthz.',
    check: positiveSeconds,
  }),
  etcdReadycheckTimeoutSeconds: option({
    type: duration,
    flag: 'etcd-readycheck-timeout',
    default: '2s',
    help: 'How long the store may take to answer checks of /readyz.',
    check: positiveSeconds,
  }),
  leaseReuseDurationSeconds: option({
    type: integer(0, 86_400),
    flag: 'lease-reuse-duration-seconds',
    default: '60',
    help: 'Seconds for which keys of etcd that end by themselves share a lease.',
    check: secondsOrZero,
  }),
  deleteCollectionWorkers: option({
    type: integer(1, 10_000),
    flag: 'delete-collection-workers',
    default: '32',
    help: 'Objects that the deletion of a collection deletes at a time.',
    check: positiveCount,
  }),
  eventTtlSeconds: option({
    type: duration,
    flag: 'event-ttl',
    default: '1h',
    help: 'How long events are kept.',
    check: positiveSeconds,
  }),
  historySeconds: option({
    type: duration,
    flag: 'history',
    default: '5m',
    help: 'How long old versions are kept for watches and consistent pages, outside etcd.',
    check: positiveSeconds,
  }),
};
