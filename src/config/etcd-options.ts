// Options of etcd as the store, and of how long the store may take to answer checks of health.

import type { EtcdOptions } from '../storage/etcd/etcd-store.ts';
import { OptionError } from './option-error.ts';
import { readOptionFile } from './option-file.ts';
import type { ResolvedOptions } from './server-options.ts';

/** How values are encrypted in the store. */
export interface EncryptionConfig {
  readonly file: string;
  /** The file is read again when it changes. */
  readonly follows: boolean;
}

export function resolveEncryption(options: ResolvedOptions): EncryptionConfig | undefined {
  const { encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: follows } = options;
  if (file === undefined && follows) throw new OptionError(reloadsNothing);
  return file === undefined ? undefined : { file, follows };
}

const reloadsNothing = 'encryptionProviderConfigAutomaticReload: must be set with encryptionProviderConfig';

/** Milliseconds that the store may take. */
export interface StoreChecks {
  readonly healthMs: number;
  readonly readyMs: number;
}

export const resolveStoreChecks = (options: ResolvedOptions): StoreChecks => ({
  healthMs: options.etcdHealthcheckTimeoutSeconds * 1000,
  readyMs: options.etcdReadycheckTimeoutSeconds * 1000,
});

export function resolveEtcd(options: ResolvedOptions): EtcdOptions {
  const { etcdServers = [], etcdPrefix, etcdCaFile, etcdCertFile, etcdKeyFile } = options;
  if (etcdServers.length === 0) throw new OptionError('etcdServers: the etcd store needs at least one');
  const bad = etcdServers.find((server) => !/^https?:\/\/[^/]+$/.test(server));
  if (bad !== undefined)
    throw new OptionError(`etcdServers: ${JSON.stringify(bad)} is not an address such as http://127.0.0.1:2379`);
  const tls = readEtcdTls(etcdCaFile, etcdCertFile, etcdKeyFile);
  const user = resolveEtcdUser(options);
  return {
    servers: etcdServers,
    prefix: etcdPrefix,
    leaseReuseSeconds: options.leaseReuseDurationSeconds,
    ...(tls === undefined ? {} : { tls }),
    ...(user === undefined ? {} : { user }),
  };
}

function resolveEtcdUser({
  etcdUsername,
  etcdPassword,
  etcdPasswordFile,
}: ResolvedOptions): EtcdOptions['user'] | undefined {
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
