// The flags of `keelson serve`: one table that parses them, documents them and maps them onto server options.

import type { DialectNames } from '../meta/dialect.ts';
import type { ServerOptions } from '../server/options.ts';
import { duration, integer, listOf, oneOf, switches, text, type ValueType, yesOrNo } from './flag-values.ts';

/** Options as they are put together from flags. */
export type MutableOptions = { -readonly [K in keyof ServerOptions]: ServerOptions[K] } & { verbosity?: number };

export interface Flag {
  readonly name: string;
  readonly group: string;
  readonly help: string;
  readonly placeholder: string;
  /** What holds when the flag is not given, as the help shows it; empty for nothing. */
  readonly defaultText: string;
  /** What the flag sets, as errors about options name it. */
  readonly option: string;
  /** Throws a UsageError for a bad value. */
  set(options: MutableOptions, value: string): void;
}

type Ungrouped = Omit<Flag, 'group'>;

interface FlagSpec<K extends keyof MutableOptions> {
  readonly name: string;
  readonly option: K;
  readonly type: ValueType<NonNullable<MutableOptions[K]>>;
  readonly default?: string;
  readonly help: string;
}

/** A flag that sets one option. */
function flag<K extends keyof MutableOptions>({ name, option, type, default: defaultText = '', help }: FlagSpec<K>) {
  return {
    name,
    option,
    help,
    placeholder: type.placeholder,
    defaultText,
    set(options, value) {
      options[option] = type.parse(value);
    },
  } satisfies Ungrouped;
}

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

const inGroup = (group: string, flags: readonly Ungrouped[]): Flag[] => flags.map((entry) => ({ ...entry, group }));

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
    name: 'history',
    option: 'historySeconds',
    type: duration,
    default: '5m',
    help: 'How long old versions are kept for watches and consistent pages.',
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
    help: 'PEM file of the serving certificate; made at first start when not given.',
  }),
  flag({
    name: 'tls-private-key-file',
    option: 'tlsPrivateKeyFile',
    type: text,
    help: 'PEM file of the key of --tls-cert-file.',
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
]);

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

export const serveFlags: readonly Flag[] = [...storage, ...serving, ...api, ...dialect, ...logging];
