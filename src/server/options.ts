// Options: optional outside, complete inside. Contradictions fail here, with the option's name.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { builtInGroups } from '../groups/catalog.ts';
import type { NodeTrust } from '../http/backends.ts';
import { cluster, type Dialect, type DialectNames, kubernetes } from '../meta/dialect.ts';
import type { EtcdOptions } from '../storage/etcd/etcd-store.ts';
import type { Store } from '../storage/store.ts';
import { type RuntimeConfig, unknownSwitches } from './runtime-config.ts';

export interface ServerOptions {
  /** Where objects are kept: `memory` (the default when embedding), `embedded` (needs dataDir), `etcd`, or a store of your own. */
  readonly store?: 'memory' | 'embedded' | 'etcd' | Store;
  /** Addresses of etcd, such as `http://127.0.0.1:2379`. */
  readonly etcdServers?: readonly string[];
  /** Where keys begin in etcd. */
  readonly etcdPrefix?: string;
  /** PEM files for a TLS connection to etcd. */
  readonly etcdCaFile?: string;
  readonly etcdCertFile?: string;
  readonly etcdKeyFile?: string;
  /** Folder of the embedded store, the certificates and the kubeconfig. */
  readonly dataDir?: string;
  /** Address to listen on; 127.0.0.1 when not given. */
  readonly bindAddress?: string;
  /** Port to listen on; 0, the default, picks a free one. */
  readonly securePort?: number;
  /** PEM files of a serving certificate of your own. */
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  /** Whether containers may be privileged; false when not given. */
  readonly allowPrivileged?: boolean;
  /** PEM file of who signs the certificates of node agents; they are not checked when not given. */
  readonly kubeletCertificateAuthority?: string;
  /** PEM files by which this server shows itself to node agents. */
  readonly kubeletClientCertificate?: string;
  readonly kubeletClientKey?: string;
  /** Names on the wire: `kubernetes` (the default), `cluster`, or one of your own. */
  readonly dialect?: 'kubernetes' | 'cluster' | Dialect;
  /** Names for the `cluster` dialect. */
  readonly dialectNames?: Partial<DialectNames>;
  /** Switches for group-versions and resources: `{ 'api/beta': true, 'apps/v1/deployments': false }`. */
  readonly runtimeConfig?: RuntimeConfig;
  /** How long history is kept for watches and exact reads, in seconds. */
  readonly historySeconds?: number;
  /** How long a request may take before its answer begins, in seconds. */
  readonly requestTimeoutSeconds?: number;
  /** A watch without timeoutSeconds lasts between this and twice this. */
  readonly minRequestTimeoutSeconds?: number;
  /** How long requests under way may take to finish when the server closes, in seconds. */
  readonly shutdownGraceSeconds?: number;
  /** Lines of the log; nothing is logged when not given. */
  readonly log?: Log;
  readonly clock?: Clock;
}

/** What the server has to say while it runs. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export type StoreConfig =
  | { readonly kind: 'memory' }
  | { readonly kind: 'embedded'; readonly folder: string }
  | { readonly kind: 'etcd'; readonly options: EtcdOptions }
  | { readonly kind: 'given'; readonly store: Store };

export interface ServerConfig {
  readonly store: StoreConfig;
  readonly dataDir: string | undefined;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly allowPrivileged: boolean;
  readonly nodeTrust: NodeTrust;
  readonly dialect: Dialect;
  readonly runtimeConfig: RuntimeConfig;
  readonly historyMs: number;
  readonly requestTimeoutMs: number;
  readonly minWatchSeconds: number;
  readonly shutdownGraceMs: number;
  readonly log: Log;
  readonly clock: Clock;
}

/** An option that cannot be used; the message names it. */
export class OptionError extends Error {}

const silent: Log = { info() {}, warn() {}, error() {} };

export function resolveOptions(options: ServerOptions = {}): ServerConfig {
  const dataDir = options.dataDir === undefined ? undefined : resolve(options.dataDir);
  const dialect = resolveDialect(options);
  return {
    store: resolveStore(options, dataDir),
    dataDir,
    bindAddress: options.bindAddress ?? '127.0.0.1',
    securePort: resolvePort(options.securePort ?? 0),
    tls: resolveTls(options),
    allowPrivileged: options.allowPrivileged ?? false,
    nodeTrust: resolveNodeTrust(options),
    dialect,
    runtimeConfig: resolveRuntimeConfig(options, dialect),
    historyMs: positive('historySeconds', options.historySeconds ?? 300) * 1000,
    requestTimeoutMs: positive('requestTimeoutSeconds', options.requestTimeoutSeconds ?? 60) * 1000,
    minWatchSeconds: positive('minRequestTimeoutSeconds', options.minRequestTimeoutSeconds ?? 1800),
    shutdownGraceMs: (options.shutdownGraceSeconds ?? 10) * 1000,
    log: options.log ?? silent,
    clock: options.clock ?? systemClock,
  };
}

function resolveStore(options: ServerOptions, dataDir: string | undefined): StoreConfig {
  const { store = options.etcdServers === undefined ? 'memory' : 'etcd' } = options;
  if (store !== 'etcd' && options.etcdServers !== undefined)
    throw new OptionError('etcdServers: only the etcd store has servers');
  if (typeof store === 'object') return { kind: 'given', store };
  if (store === 'memory') return { kind: 'memory' };
  if (store === 'etcd') return { kind: 'etcd', options: resolveEtcd(options) };
  if (dataDir === undefined) throw new OptionError('store: the embedded store needs dataDir');
  return { kind: 'embedded', folder: join(dataDir, 'store') };
}

function resolveEtcd({
  etcdServers = [],
  etcdPrefix,
  etcdCaFile,
  etcdCertFile,
  etcdKeyFile,
}: ServerOptions): EtcdOptions {
  if (etcdServers.length === 0) throw new OptionError('etcdServers: the etcd store needs at least one');
  const bad = etcdServers.find((server) => !/^https?:\/\/[^/]+$/.test(server));
  if (bad !== undefined)
    throw new OptionError(`etcdServers: ${JSON.stringify(bad)} is not an address such as http://127.0.0.1:2379`);
  const tls = readEtcdTls(etcdCaFile, etcdCertFile, etcdKeyFile);
  return {
    servers: etcdServers,
    ...(etcdPrefix === undefined ? {} : { prefix: etcdPrefix }),
    ...(tls === undefined ? {} : { tls }),
  };
}

function readEtcdTls(
  caFile: string | undefined,
  certFile: string | undefined,
  keyFile: string | undefined,
): EtcdOptions['tls'] {
  if (certFile === undefined && keyFile !== undefined) throw new OptionError('etcdKeyFile: needs etcdCertFile as well');
  if (certFile !== undefined && keyFile === undefined) throw new OptionError('etcdCertFile: needs etcdKeyFile as well');
  if (caFile === undefined && certFile === undefined) return undefined;
  return {
    ...(caFile === undefined ? {} : { ca: readOptionFile('etcdCaFile', caFile) }),
    ...(certFile === undefined ? {} : { certificate: readOptionFile('etcdCertFile', certFile) }),
    ...(keyFile === undefined ? {} : { privateKey: readOptionFile('etcdKeyFile', keyFile) }),
  };
}

/** The content of a file that an option names. */
export function readOptionFile(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new OptionError(`${option}: ${(error as Error).message}`);
  }
}

function resolvePort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new OptionError(`securePort: ${port} is not a port, use 0 to 65535`);
}

function resolveNodeTrust(options: ServerOptions): NodeTrust {
  const { kubeletCertificateAuthority: ca, kubeletClientCertificate: cert, kubeletClientKey: key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw new OptionError('kubeletClientCertificate: needs kubeletClientKey, and the other way round');
  const read = (option: string, path: string) => readOptionFile(option, path).toString();
  return {
    ...(ca === undefined ? {} : { ca: read('kubeletCertificateAuthority', ca) }),
    ...(cert === undefined ? {} : { certificate: read('kubeletClientCertificate', cert) }),
    ...(key === undefined ? {} : { privateKey: read('kubeletClientKey', key) }),
  };
}

function resolveTls({ tlsCertFile, tlsPrivateKeyFile }: ServerOptions): ServerConfig['tls'] {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined) return undefined;
  if (tlsCertFile === undefined) throw new OptionError('tlsPrivateKeyFile: needs tlsCertFile as well');
  if (tlsPrivateKeyFile === undefined) throw new OptionError('tlsCertFile: needs tlsPrivateKeyFile as well');
  return { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile };
}

function resolveDialect({ dialect = 'kubernetes', dialectNames }: ServerOptions): Dialect {
  if (dialect === 'cluster') return cluster(dialectNames);
  const [name] = Object.keys(dialectNames ?? {});
  if (name !== undefined) throw new OptionError(`${name}: only the cluster dialect takes names`);
  return dialect === 'kubernetes' ? kubernetes : dialect;
}

function resolveRuntimeConfig({ runtimeConfig = {} }: ServerOptions, dialect: Dialect): RuntimeConfig {
  if (Object.keys(runtimeConfig).length === 0) return runtimeConfig;
  const [unknown] = unknownSwitches(runtimeConfig, builtInGroups(dialect));
  if (unknown !== undefined) throw new OptionError(`runtimeConfig: ${JSON.stringify(unknown)} is not served`);
  return runtimeConfig;
}

function positive(name: string, value: number): number {
  if (value > 0 && Number.isFinite(value)) return value;
  throw new OptionError(`${name}: ${value} is not a positive number of seconds`);
}
