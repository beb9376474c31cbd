// The flags of `keelson serve`: one table that parses them, documents them and maps them onto server options.

import type { DialectNames } from '../meta/dialect.ts';
import type { ServerOptions } from '../server/options.ts';
import { duration, integer, listOf, oneOf, text, type ValueType } from './flag-values.ts';

/** Options as they are put together from flags. */
export type MutableOptions = { -readonly [K in keyof ServerOptions]: ServerOptions[K] } & { verbosity?: number };

export interface Flag {
  readonly name: string;
  readonly group: string;
  readonly help: string;
  readonly placeholder: string;
  /** What holds when the flag is not given, as the help shows it. */
  readonly defaultText: string;
  /** Throws a UsageError for a bad value. */
  set(options: MutableOptions, value: string): void;
}

function flag<T>(
  group: string,
  name: string,
  type: ValueType<T>,
  defaultText: string,
  help: string,
  assign: (options: MutableOptions, value: T) => void,
): Flag {
  return {
    name,
    group,
    help,
    placeholder: type.placeholder,
    defaultText,
    set: (options, value) => assign(options, type.parse(value)),
  };
}

function nameFlag(name: string, key: keyof DialectNames, help: string): Flag {
  return flag('Dialect', name, text, '', help, (options, value) => {
    options.dialectNames = { ...options.dialectNames, [key]: value };
  });
}

export const defaultDataDir = 'keelson-data';
export const defaultPort = 6443;

export const serveFlags: readonly Flag[] = [
  flag(
    'Storage',
    'data-dir',
    text,
    defaultDataDir,
    'Folder of the store, the certificates and the kubeconfig.',
    (o, v) => {
      o.dataDir = v;
    },
  ),
  flag(
    'Storage',
    'store',
    oneOf('embedded', 'memory', 'etcd'),
    'embedded',
    'Where objects are kept: on disk in the data folder, in memory, or in etcd.',
    (o, v) => {
      o.store = v;
    },
  ),
  flag(
    'Storage',
    'etcd-servers',
    listOf(text),
    '',
    'Addresses of etcd, separated by commas; they imply --store=etcd.',
    (o, v) => {
      o.etcdServers = v;
      o.store = 'etcd';
    },
  ),
  flag('Storage', 'etcd-prefix', text, '/registry', 'Where keys begin in etcd.', (o, v) => {
    o.etcdPrefix = v;
  }),
  flag('Storage', 'etcd-cafile', text, '', 'PEM file of the CA of etcd.', (o, v) => {
    o.etcdCaFile = v;
  }),
  flag('Storage', 'etcd-certfile', text, '', 'PEM file of the client certificate for etcd.', (o, v) => {
    o.etcdCertFile = v;
  }),
  flag('Storage', 'etcd-keyfile', text, '', 'PEM file of the key of --etcd-certfile.', (o, v) => {
    o.etcdKeyFile = v;
  }),
  flag(
    'Storage',
    'history',
    duration,
    '5m',
    'How long old versions are kept for watches and consistent pages.',
    (o, v) => {
      o.historySeconds = v;
    },
  ),
  flag('Serving', 'bind-address', text, '127.0.0.1', 'Address to listen on.', (o, v) => {
    o.bindAddress = v;
  }),
  flag(
    'Serving',
    'secure-port',
    integer(0, 65535),
    String(defaultPort),
    'Port to listen on; 0 picks a free one.',
    (o, v) => {
      o.securePort = v;
    },
  ),
  flag(
    'Serving',
    'tls-cert-file',
    text,
    '',
    'PEM file of the serving certificate; made at first start when not given.',
    (o, v) => {
      o.tlsCertFile = v;
    },
  ),
  flag('Serving', 'tls-private-key-file', text, '', 'PEM file of the key of --tls-cert-file.', (o, v) => {
    o.tlsPrivateKeyFile = v;
  }),
  flag(
    'Serving',
    'request-timeout',
    duration,
    '1m',
    'How long a request may take before its answer begins.',
    (o, v) => {
      o.requestTimeoutSeconds = v;
    },
  ),
  flag(
    'Serving',
    'min-request-timeout',
    integer(1, 86_400),
    '1800',
    'Seconds a watch lasts at least when the client does not say.',
    (o, v) => {
      o.minRequestTimeoutSeconds = v;
    },
  ),
  flag(
    'Serving',
    'shutdown-grace-period',
    duration,
    '10s',
    'How long requests under way may take to finish at shutdown.',
    (o, v) => {
      o.shutdownGraceSeconds = v;
    },
  ),
  flag('Dialect', 'dialect', oneOf('kubernetes', 'cluster'), 'kubernetes', 'Names on the wire.', (o, v) => {
    o.dialect = v;
  }),
  nameFlag('api-domain', 'apiDomain', 'Domain of the API groups, in the cluster dialect.'),
  nameFlag('label-domain', 'labelDomain', 'Domain of reserved labels, in the cluster dialect.'),
  nameFlag('system-namespace', 'systemNamespace', 'The system namespace, in the cluster dialect.'),
  nameFlag('public-namespace', 'publicNamespace', 'The public namespace, in the cluster dialect.'),
  flag('Logging', 'v', integer(0, 10), '0', 'How much is logged: 0 warnings, 2 what happens, 4 everything.', (o, v) => {
    o.verbosity = v;
  }),
];
