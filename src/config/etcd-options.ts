// Options of etcd as the store, and of how long the store may take to answer checks of health.

import type { EtcdOptions } from '../storage/etcd/etcd-store.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';

export interface EtcdStoreOptions {
  /** Addresses of etcd, such as `http://127.0.0.1:2379`. */
  readonly etcdServers?: readonly string[];
  /** Where keys begin in etcd. */
  readonly etcdPrefix?: string;
  /** PEM file of the CA of etcd; the system's CAs when not given. */
  readonly etcdCaFile?: string;
  /** PEM file of the client certificate for etcd. */
  readonly etcdCertFile?: string;
  /** PEM file of the key of `etcdCertFile`. */
  readonly etcdKeyFile?: string;
  /** User of etcd. */
  readonly etcdUsername?: string;
  /** Password of `etcdUsername`. */
  readonly etcdPassword?: string;
  /** File with the password of `etcdUsername`. */
  readonly etcdPasswordFile?: string;
  /** How long history is kept in etcd, in seconds; 0 leaves compaction to others. */
  readonly etcdCompactionSeconds?: number;
  /** How long keys that end by themselves share a lease, in seconds; 60 when not given. */
  readonly leaseReuseDurationSeconds?: number;
  /** EncryptionConfiguration file: how values are stored. Providers are kms (v2), aescbc, aesgcm, secretbox and identity. */
  readonly encryptionProviderConfig?: string;
  /** Whether that file is followed while the server runs; one that cannot be used changes nothing. */
  readonly encryptionProviderConfigAutomaticReload?: boolean;
  /** How long the store may take to answer a check of `/livez` or `/healthz`, in seconds; 2 when not given. */
  readonly etcdHealthcheckTimeoutSeconds?: number;
  /** How long the store may take to answer a check of `/readyz`, in seconds; 2 when not given. */
  readonly etcdReadycheckTimeoutSeconds?: number;
}

/** How values are encrypted in the store. */
export interface EncryptionConfig {
  readonly file: string;
  /** The file is read again when it changes. */
  readonly follows: boolean;
}

export function resolveEncryption(options: EtcdStoreOptions): EncryptionConfig | undefined {
  const { encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: follows = false } = options;
  if (file === undefined && follows) throw new OptionError(reloadsNothing);
  return file === undefined ? undefined : { file, follows };
}

const reloadsNothing = 'encryptionProviderConfigAutomaticReload: must be set with encryptionProviderConfig';

/** Milliseconds that the store may take. */
export interface StoreChecks {
  readonly healthMs: number;
  readonly readyMs: number;
}

const usualCheckSeconds = 2;

export function resolveStoreChecks(options: EtcdStoreOptions): StoreChecks {
  const ms = (name: keyof EtcdStoreOptions & string, seconds: number = usualCheckSeconds) => {
    if (seconds > 0 && Number.isFinite(seconds)) return seconds * 1000;
    throw new OptionError(`${name}: ${seconds} is not a positive number of seconds`);
  };
  return {
    healthMs: ms('etcdHealthcheckTimeoutSeconds', options.etcdHealthcheckTimeoutSeconds),
    readyMs: ms('etcdReadycheckTimeoutSeconds', options.etcdReadycheckTimeoutSeconds),
  };
}

export function resolveEtcd(options: EtcdStoreOptions): EtcdOptions {
  const { etcdServers = [], etcdPrefix, etcdCaFile, etcdCertFile, etcdKeyFile } = options;
  const { leaseReuseDurationSeconds } = options;
  if (leaseReuseDurationSeconds !== undefined && !(leaseReuseDurationSeconds >= 0))
    throw new OptionError(`leaseReuseDurationSeconds: ${leaseReuseDurationSeconds} is not a number of seconds`);
  if (etcdServers.length === 0) throw new OptionError('etcdServers: the etcd store needs at least one');
  const bad = etcdServers.find((server) => !/^https?:\/\/[^/]+$/.test(server));
  if (bad !== undefined)
    throw new OptionError(`etcdServers: ${JSON.stringify(bad)} is not an address such as http://127.0.0.1:2379`);
  const tls = readEtcdTls(etcdCaFile, etcdCertFile, etcdKeyFile);
  const user = resolveEtcdUser(options);
  return {
    servers: etcdServers,
    ...(etcdPrefix === undefined ? {} : { prefix: etcdPrefix }),
    ...(leaseReuseDurationSeconds === undefined ? {} : { leaseReuseSeconds: leaseReuseDurationSeconds }),
    ...(tls === undefined ? {} : { tls }),
    ...(user === undefined ? {} : { user }),
  };
}

function resolveEtcdUser({
  etcdUsername,
  etcdPassword,
  etcdPasswordFile,
}: EtcdStoreOptions): EtcdOptions['user'] | undefined {
  const password =
    etcdPasswordFile === undefined
      ? etcdPassword
      : readOptionFile('etcdPasswordFile', etcdPasswordFile)
          .toString()
          .replace(/\r?\n$/, '');
  if (etcdUsername === undefined) {
    if (etcdPasswordFile !== undefined) throw new OptionError('etcdPasswordFile: needs etcdUsername as well');
    return undefined;
  }
  if (!password) throw new OptionError('etcdUsername: needs a password, in a file that etcdPasswordFile names');
  return { name: etcdUsername, password };
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
