// What is open before there is a server: files are read, the store and the folder are taken.

import type { PluginSettings } from '../admission/engines.ts';
import type { Auditor } from '../audit/auditor.ts';
import { openAdmission } from '../config/admission-file.ts';
import { checkEncryptionFile } from '../config/encryption-file.ts';
import type { ServerConfig } from '../config/options.ts';
import { FrontProxy } from '../pki/front-proxy.ts';
import { ServingCertificates } from '../pki/serving-certificates.ts';
import { SigningAuthorities } from '../pki/signing-authorities.ts';
import { openPrivateFolder } from '../storage/embedded/private-folder.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Store } from '../storage/store.ts';
import { openAudit } from './audit.ts';
import type { ClusterLink } from './cluster-link.ts';
import { pkiFolder } from './server-certificates.ts';
import { openWebhookClients, type WebhookClients } from './webhook-clients.ts';

/** All of it is closed with the server. */
export interface Opened {
  readonly store: Store;
  release(): Promise<void>;
  readonly audit: Auditor | undefined;
  readonly webhookClients: WebhookClients;
  readonly serving: ServingCertificates;
  readonly signing: SigningAuthorities;
  readonly frontProxy: FrontProxy;
  readonly plugins: PluginSettings;
  readonly link: ClusterLink | undefined;
}

/** Nothing stays open where one of them cannot be opened. */
export async function open(config: ServerConfig, link?: ClusterLink): Promise<Opened> {
  const { dataDir, log } = config;
  if (dataDir !== undefined) openPrivateFolder(dataDir, (message) => log.warn({}, message));
  const serving = new ServingCertificates(config.tls.main, config.tls.named);
  const signing = new SigningAuthorities(config.signing);
  const { frontProxy: proxy } = config.authentication;
  const frontProxy = new FrontProxy({ config: proxy, folder: pkiFolder(config), clock: config.clock });
  if (config.encryptionFile !== undefined) await checkEncryptionFile(config.encryptionFile);
  const plugins = await openAdmission(config.admission, config.dialect, config.featureGates);
  const webhookClients = link?.webhookClients() ?? (await openWebhookClients(config));
  let audit: Auditor | undefined;
  try {
    audit = await openAudit(config);
    return { serving, signing, frontProxy, plugins, link, webhookClients, audit, ...(await openStore(config)) };
  } catch (error) {
    webhookClients.close();
    await audit?.close();
    throw error;
  }
}

/** The store, and what has to happen after it is closed. */
async function openStore(config: ServerConfig): Promise<{ store: Store; release: () => Promise<void> }> {
  switch (config.store.kind) {
    case 'given':
      return { store: config.store.store, release: async () => {} };
    case 'memory':
      return { store: openMemoryStore({ clock: config.clock }), release: async () => {} };
    case 'etcd': {
      const { openEtcdStore } = await import('../storage/etcd/etcd-store.ts');
      return { store: openEtcdStore(config.store.options), release: async () => {} };
    }
    case 'embedded': {
      const { openEmbeddedStore } = await import('../storage/embedded/embedded-store.ts');
      const { lockFolder } = await import('../storage/embedded/folder-lock.ts');
      const { folder } = config.store;
      const lock = await lockFolder(folder);
      try {
        return { store: openEmbeddedStore(folder, { clock: config.clock }), release: () => lock.release() };
      } catch (error) {
        await lock.release();
        throw error;
      }
    }
  }
}
