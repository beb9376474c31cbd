// What a server reads when it starts, read without starting one and without changing anything. `keelson status` and
// `keelson doctor` show what is wrong with it.

import { openAdmission } from '../../config/admission-file.ts';
import { OptionError } from '../../config/option-error.ts';
import type { ServerConfig } from '../../config/options.ts';
import { EncryptionMetrics } from '../../metrics/encryption-metrics.ts';
import { ClientTrust } from '../../pki/client-trust.ts';
import { FrontProxy } from '../../pki/front-proxy.ts';
import { checkIdentity } from '../../pki/identity.ts';
import { ServingCertificates } from '../../pki/serving-certificates.ts';
import { SigningAuthorities } from '../../pki/signing-authorities.ts';
import { readStoredKey } from '../../pki/signing-key.ts';
import type { Store } from '../../storage/store.ts';
import { StoreSummary } from '../../storage/store-summary.ts';
import { checkAudit } from '../audit.ts';
import { checkIssuerFile } from '../auth/token-issuers.ts';
import { pkiFolder } from '../certificates/server-certificates.ts';
import { ownLabels } from '../own/own-labels.ts';
import { storedNames } from '../stored-names.ts';
import { readTracing } from '../tracing.ts';
import { openWebhookClients } from '../webhook-clients.ts';
import { openEncryption } from './opening.ts';

/** Something that keeps a server from running, or from reading what is stored. */
export interface InputProblem {
  readonly input: InputName;
  readonly message: string;
}

export interface InputReport {
  /** Undefined where nothing is stored yet, or where it cannot be read. */
  readonly stored: StoreSummary | undefined;
  /** Names of certificates that cannot be used and that the server makes again when it starts. */
  readonly remade: readonly string[];
  readonly problems: readonly InputProblem[];
}

export type InputName = 'store' | 'certificates' | 'encryption' | 'authentication' | 'admission' | 'audit' | 'tracing';

export async function inspectInputs(config: ServerConfig): Promise<InputReport> {
  const problems: InputProblem[] = [];
  const attempt = async <T>(input: InputName, read: () => Promise<T> | T): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      problems.push({ input, message: (error as Error).message });
      return undefined;
    }
  };
  const stored = await attempt('store', () => readStore(config));
  const remade = (await attempt('certificates', () => readOwnCertificates(config))) ?? [];
  await attempt('certificates', () => readGivenCertificates(config));
  await attempt('encryption', () => readEncryption(config, stored));
  await attempt('authentication', () => checkIssuerFile({ ...config, config: config.authentication }));
  await attempt('authentication', async () => (await openWebhookClients(config)).close());
  await attempt('admission', () => openAdmission(config.admission, config.dialect, config.featureGates, () => {}));
  await attempt('audit', () => checkAudit(config));
  await attempt('tracing', () => readTracing(config));
  return { stored, remade, problems };
}

async function readStore({ store, dialect }: ServerConfig): Promise<StoreSummary | undefined> {
  if (store.kind === 'embedded') {
    const { inspectStore } = await import('../../storage/embedded/inspect-store.ts');
    return inspectStore(store.folder, storedNames(dialect));
  }
  if (store.kind !== 'etcd') return undefined;
  const { openEtcdStore } = await import('../../storage/etcd/etcd-store.ts');
  const opened = openEtcdStore(store.options);
  try {
    return await summarize(opened, storedNames(dialect));
  } catch (error) {
    throw new OptionError(`etcdServers: ${store.options.servers.join(', ')}: ${(error as Error).message}`);
  } finally {
    await opened.close();
  }
}

const pageSize = 500;

async function summarize(store: Store, nameOf: (key: string) => string): Promise<StoreSummary> {
  const summary = new StoreSummary(await store.currentRevision(), nameOf);
  for (let after: string | undefined; ; ) {
    const { entries, more } = await store.list({
      prefix: '/',
      limit: pageSize,
      at: summary.revision,
      ...(after === undefined ? {} : { after }),
    });
    for (const { key, value } of entries) summary.add(key, value);
    after = entries.at(-1)?.key;
    if (!more || after === undefined) return summary;
  }
}

function readOwnCertificates(config: ServerConfig): readonly string[] {
  const folder = pkiFolder(config);
  if (folder === undefined) return [];
  const remade = checkIdentity(folder);
  if (config.authentication.signingKey === undefined) readStoredKey(folder);
  return remade;
}

/** Files that flags name. */
function readGivenCertificates({ tls, signing, authentication, clock }: ServerConfig): void {
  // the server makes the pair of `madeIn`
  new ServingCertificates(tls.madeIn === undefined ? tls.main : undefined, tls.named);
  new SigningAuthorities(signing);
  new FrontProxy({ config: authentication.frontProxy, folder: undefined, clock });
  new ClientTrust({ users: authentication.clientCaFile, proxies: authentication.requestHeader?.caFile });
}

/** The configuration, and whether it has the keys of what is stored. */
async function readEncryption(config: ServerConfig, stored: StoreSummary | undefined): Promise<void> {
  const encryption = await openEncryption(
    config,
    new EncryptionMetrics(ownLabels(config.dialect), () => config.clock.now()),
  );
  try {
    for (const [name, { key, value }] of stored?.encrypted ?? []) {
      if (encryption === undefined)
        throw new OptionError(
          `encryptionProviderConfig: objects such as ${key} are encrypted with ${name}: name the file with that key`,
        );
      const problem = await encryption.problemOf(key, value);
      if (problem !== undefined) throw new OptionError(`encryptionProviderConfig: ${key}: ${problem}`);
    }
  } finally {
    encryption?.close();
  }
}
