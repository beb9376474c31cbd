// What is open before there is a server: files are read, the store and the folder are taken.

import type { PluginSettings } from '../../admission/engines.ts';
import type { Auditor } from '../../audit/auditor.ts';
import type { AuditBackend } from '../../audit/backend.ts';
import { openAdmission } from '../../config/admission-file.ts';
import type { ServerConfig } from '../../config/options.ts';
import { EncryptionMetrics } from '../../metrics/encryption-metrics.ts';
import { FrontProxy } from '../../pki/front-proxy.ts';
import { makePair } from '../../pki/self-made-pair.ts';
import { ServingCertificates } from '../../pki/serving-certificates.ts';
import { SigningAuthorities } from '../../pki/signing-authorities.ts';
import { openPrivateFolder } from '../../storage/embedded/private-folder.ts';
import { openMemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { RevisionBoard } from '../../storage/threads/revision-board.ts';
import { openAudit } from '../audit.ts';
import { hostsOf, pkiFolder } from '../certificates/server-certificates.ts';
import type { ClusterLink } from '../cluster-link.ts';
import type { Encryption } from '../encryption/encryption.ts';
import { ownLabels } from '../own/own-labels.ts';
import { type OpenTracing, openTracing } from '../tracing.ts';
import { openWebhookClients, type WebhookClients } from '../webhook-clients.ts';

/** All of it is closed with the server. */
export interface Opened extends OpenedStore {
  readonly audit: Auditor | undefined;
  /** Undefined where no traces are sent. */
  readonly tracing: OpenTracing | undefined;
  readonly webhookClients: WebhookClients;
  readonly serving: ServingCertificates;
  readonly signing: SigningAuthorities;
  readonly frontProxy: FrontProxy;
  readonly plugins: PluginSettings;
  readonly link: ClusterLink | undefined;
  /** What is encrypted in the store, undefined where nothing is. */
  readonly encryption: Encryption | undefined;
  readonly encryptionMetrics: EncryptionMetrics;
}

interface OpeningParts {
  readonly link?: ClusterLink;
  /** Takes audit events instead of the backends of the configuration. */
  readonly audit?: AuditBackend;
}

/** Nothing stays open where one of them cannot be opened. */
export async function open(config: ServerConfig, { link, audit: elsewhere }: OpeningParts = {}): Promise<Opened> {
  const { dataDir, log } = config;
  if (dataDir !== undefined) openPrivateFolder(dataDir, (message) => log.warn({}, message));
  if (config.tls.madeIn !== undefined) makePair(config.tls.madeIn, hostsOf(config), config.clock.now());
  const serving = new ServingCertificates(config.tls.main, config.tls.named);
  const signing = new SigningAuthorities(config.signing);
  const { frontProxy: proxy } = config.authentication;
  const frontProxy = new FrontProxy({ config: proxy, folder: pkiFolder(config), clock: config.clock });
  const encryptionMetrics = new EncryptionMetrics(ownLabels(config.dialect), () => config.clock.now());
  const encryption = await openEncryption(config, encryptionMetrics);
  const plugins = await openAdmission(config.admission, config.dialect, config.featureGates, (text) =>
    log.warn({}, text),
  );
  const webhookClients = link?.webhookClients() ?? (await openWebhookClients(config));
  let audit: Auditor | undefined;
  let tracing: OpenTracing | undefined;
  try {
    audit = await openAudit(config, elsewhere);
    tracing = await openTracing(config);
    return {
      serving,
      signing,
      frontProxy,
      plugins,
      link,
      webhookClients,
      audit,
      tracing,
      encryption,
      encryptionMetrics,
      ...(await openStored(config, encryption)),
    };
  } catch (error) {
    encryption?.close();
    webhookClients.close();
    await audit?.close();
    await tracing?.exporter.close();
    throw error;
  }
}

/** Undefined where the configuration names no file. */
export async function openEncryption(
  config: ServerConfig,
  metrics: EncryptionMetrics,
): Promise<Encryption | undefined> {
  const { encryption, dialect, clock, log, store } = config;
  if (encryption === undefined) return undefined;
  const { Encryption } = await import('../encryption/encryption.ts');
  const root = (store.kind === 'etcd' ? store.options.prefix : undefined) ?? usualRoot;
  return Encryption.open(encryption, { dialect, clock, log, metrics, root: root.replace(/\/+$/, '') });
}

/** The store as the server sees it, with values that are not encrypted. */
async function openStored(config: ServerConfig, encryption: Encryption | undefined): Promise<OpenedStore> {
  const opened = await openStore(config);
  if (encryption === undefined) return opened;
  return {
    ...opened,
    store: encryption.around(opened.store),
    async release() {
      encryption.close();
      await opened.release();
    },
  };
}

/** Values may be bound to the path of their key, which is the same in every store. */
const usualRoot = '/registry';

/** The store, and what has to happen after it is closed. */
interface OpenedStore {
  readonly store: Store;
  /** The store on this machine as it is on disk, for further threads; undefined where one thread serves. */
  readonly local?: { readonly store: Store; readonly board: RevisionBoard; readonly folder: string };
  release(): Promise<void>;
}

async function openStore(config: ServerConfig): Promise<OpenedStore> {
  switch (config.store.kind) {
    case 'given':
      return { store: config.store.store, release: async () => {} };
    case 'memory':
      return { store: openMemoryStore({ clock: config.clock }), release: async () => {} };
    case 'etcd': {
      const { openEtcdStore } = await import('../../storage/etcd/etcd-store.ts');
      return { store: openEtcdStore(config.store.options), release: async () => {} };
    }
    case 'embedded': {
      const { openEmbeddedStore } = await import('../../storage/embedded/embedded-store.ts');
      const { lockFolder } = await import('../../storage/embedded/folder-lock.ts');
      const { folder } = config.store;
      const lock = await lockFolder(folder);
      try {
        const board = config.threads.options !== undefined ? new RevisionBoard() : undefined;
        const store = openEmbeddedStore(folder, { clock: config.clock, publication: board });
        const local = board && { store, board, folder };
        return { store, release: () => lock.release(), ...(local ? { local } : {}) };
      } catch (error) {
        await lock.release();
        throw error;
      }
    }
  }
}
