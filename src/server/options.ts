// Options: optional outside, complete inside. Contradictions fail here, with the option's name.

import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { cluster, type Dialect, type DialectNames, kubernetes } from '../meta/dialect.ts';
import type { Store } from '../storage/store.ts';

export interface ServerOptions {
  /** Where objects are kept: `memory` (the default when embedding), `embedded` (needs dataDir), or a store of your own. */
  readonly store?: 'memory' | 'embedded' | Store;
  /** Folder of the embedded store, the certificates and the kubeconfig. */
  readonly dataDir?: string;
  /** Address to listen on; 127.0.0.1 when not given. */
  readonly bindAddress?: string;
  /** Port to listen on; 0, the default, picks a free one. */
  readonly securePort?: number;
  /** PEM files of a serving certificate of your own. */
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  /** Names on the wire: `kubernetes` (the default), `cluster`, or one of your own. */
  readonly dialect?: 'kubernetes' | 'cluster' | Dialect;
  /** Names for the `cluster` dialect. */
  readonly dialectNames?: Partial<DialectNames>;
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

export interface ServerConfig {
  readonly store:
    | { readonly kind: 'memory' }
    | { readonly kind: 'embedded'; readonly folder: string }
    | { readonly kind: 'given'; readonly store: Store };
  readonly dataDir: string | undefined;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly dialect: Dialect;
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
  return {
    store: resolveStore(options.store ?? 'memory', dataDir),
    dataDir,
    bindAddress: options.bindAddress ?? '127.0.0.1',
    securePort: resolvePort(options.securePort ?? 0),
    tls: resolveTls(options),
    dialect: resolveDialect(options),
    historyMs: positive('historySeconds', options.historySeconds ?? 300) * 1000,
    requestTimeoutMs: positive('requestTimeoutSeconds', options.requestTimeoutSeconds ?? 60) * 1000,
    minWatchSeconds: positive('minRequestTimeoutSeconds', options.minRequestTimeoutSeconds ?? 1800),
    shutdownGraceMs: (options.shutdownGraceSeconds ?? 10) * 1000,
    log: options.log ?? silent,
    clock: options.clock ?? systemClock,
  };
}

function resolveStore(store: NonNullable<ServerOptions['store']>, dataDir: string | undefined): ServerConfig['store'] {
  if (typeof store === 'object') return { kind: 'given', store };
  if (store === 'memory') return { kind: 'memory' };
  if (dataDir === undefined) throw new OptionError('store: the embedded store needs dataDir');
  return { kind: 'embedded', folder: join(dataDir, 'store') };
}

function resolvePort(port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new OptionError(`securePort: ${port} is not a port, use 0 to 65535`);
}

function resolveTls({ tlsCertFile, tlsPrivateKeyFile }: ServerOptions): ServerConfig['tls'] {
  if (tlsCertFile === undefined && tlsPrivateKeyFile === undefined) return undefined;
  if (tlsCertFile === undefined) throw new OptionError('tlsPrivateKeyFile: needs tlsCertFile as well');
  if (tlsPrivateKeyFile === undefined) throw new OptionError('tlsCertFile: needs tlsPrivateKeyFile as well');
  return { certFile: tlsCertFile, keyFile: tlsPrivateKeyFile };
}

function resolveDialect({ dialect = 'kubernetes', dialectNames }: ServerOptions): Dialect {
  if (dialect === 'cluster') return cluster(dialectNames);
  if (dialectNames !== undefined) throw new OptionError('dialectNames: only the cluster dialect takes names');
  return dialect === 'kubernetes' ? kubernetes : dialect;
}

function positive(name: string, value: number): number {
  if (value > 0 && Number.isFinite(value)) return value;
  throw new OptionError(`${name}: ${value} is not a positive number of seconds`);
}
