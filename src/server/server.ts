// The server as embedders and the command line see it: created, perhaps listening, closed.

import { channel } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { PluginSettings } from '../admission/engines.ts';
import type { Auditor } from '../audit/auditor.ts';
import { systemClock, type Timer } from '../base/clock.ts';
import { publishClusterInfo } from '../bootstrap/cluster-info.ts';
import { createServiceNetwork } from '../bootstrap/service-network.ts';
import { createSystemNamespaces } from '../bootstrap/system-namespaces.ts';
import { createSystemObjects } from '../bootstrap/system-objects.ts';
import { Client } from '../client/client.ts';
import { openAdmission } from '../config/admission-file.ts';
import { type ExtensionServerOptions, resolveExtension } from '../config/extension-options.ts';
import { FilePoll } from '../config/file-poll.ts';
import { resolveOptions, type ServerConfig, type ServerOptions } from '../config/options.ts';
import { runsBootstrapSigner } from '../controllers/catalog.ts';
import type { ApiObject } from '../meta/object.ts';
import { queueMetrics } from '../metrics/queue-metrics.ts';
import { ClientTrust } from '../pki/client-trust.ts';
import { FrontProxy } from '../pki/front-proxy.ts';
import { createIdentity, type Identity, openIdentity, servingHosts, writeAtomically } from '../pki/identity.ts';
import { kubeconfigFor } from '../pki/kubeconfig.ts';
import { ServingCertificates } from '../pki/serving-certificates.ts';
import { storedRecords } from '../registry/records.ts';
import { openPrivateFolder } from '../storage/embedded/private-folder.ts';
import { HistoryWindow } from '../storage/history-window.ts';
import { openMemoryStore } from '../storage/memory/memory-store.ts';
import type { Store } from '../storage/store.ts';
import { Listener, type ListenerIdentity } from '../transport/http/listener.ts';
import { type InProcessFetch, inProcessFetch } from '../transport/in-process.ts';
import { loopbackTransport } from '../transport/loopback.ts';
import { auditMetrics, openAudit } from './audit.ts';
import { ClusterLink } from './cluster-link.ts';
import { ControllerSet } from './controllers.ts';
import { apiServicesOf, extensionHosts } from './extension-registration.ts';
import { HealthState } from './health-state.ts';
import { OwnObjects, ownAddress, usualPort } from './own-objects.ts';
import { OwnPresence } from './own-presence.ts';
import { UntilRoom } from './until-room.ts';
import { openWebhookClients, type WebhookClients } from './webhook-clients.ts';
import { type Wired, wire } from './wiring.ts';

export interface Server extends AsyncDisposable {
  /** Where the server listens; throws before `listen`. */
  readonly url: string;
  /** A kubeconfig for its administrator; throws before `listen`. */
  readonly kubeconfig: string;
  /** Path of the kubeconfig, where the server has a data folder and listens. */
  readonly kubeconfigPath: string | undefined;
  /** Calls the server without a socket, as the server itself unless a user is given. */
  readonly fetch: InProcessFetch;
  /** Opens the port. */
  listen(): Promise<void>;
  /** Finishes requests under way, ends watches, releases port, files and timers. */
  close(): Promise<void>;
}

export interface ExtensionServer extends Server {
  /** APIServices that register what is served with the cluster, one for each version; throws before `listen`. */
  readonly apiServices: readonly ApiObject[];
}

const trustHook = 'cluster-authentication';
const namespacesHook = 'start-system-namespaces-controller';
const objectHooks = ['scheduling/bootstrap-system-priority-classes', 'priority-and-fairness-config-producer'];
const rolesHook = 'rbac/bootstrap-roles';
const servicesHook = 'start-service-ip-repair-controllers';
const customResourcesHook = 'crd-informer-synced';
const aggregationHook = 'apiservice-registration-controller';

/** Heard by the loader of the bundle, which keeps the code that a start has compiled. */
const started = channel('keelson.started');

/** Controllers leave the first moments to requests, in real time, however the server's own clock goes. */
const controllersWaitMs = 50;

/** Opens the store and gets everything ready to answer; `listen` then opens a port. */
export async function createServer(options: ServerOptions = {}): Promise<Server> {
  const config = resolveOptions(options);
  const server = new KeelsonServer(config, await open(config));
  try {
    await server.prepare();
  } catch (error) {
    await server.close();
    throw error;
  }
  started.publish(undefined);
  return server;
}

/**
 * A server of your own kinds, which the API server of a cluster passes requests on to. The cluster decides who callers are
 * and what they may do; until it has named the CAs to trust, the server is not ready.
 */
export async function createExtensionServer(options: ExtensionServerOptions): Promise<ExtensionServer> {
  const config = await resolveExtension(options);
  const server = new KeelsonServer(config, await open(config, new ClusterLink(config, options.cluster)));
  try {
    await server.prepareExtension();
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

/** What is open before there is a server, and is closed with it. */
interface Opened {
  readonly store: Store;
  release(): Promise<void>;
  readonly audit: Auditor | undefined;
  readonly webhookClients: WebhookClients;
  readonly serving: ServingCertificates;
  readonly frontProxy: FrontProxy;
  readonly plugins: PluginSettings;
  readonly link: ClusterLink | undefined;
}

/** Nothing stays open where one of them cannot be opened. */
async function open(config: ServerConfig, link?: ClusterLink): Promise<Opened> {
  const { dataDir, log } = config;
  if (dataDir !== undefined) openPrivateFolder(dataDir, (message) => log.warn({}, message));
  const serving = new ServingCertificates(config.tls.main, config.tls.named);
  const { frontProxy: proxy } = config.authentication;
  const frontProxy = new FrontProxy({ config: proxy, folder: pkiFolder(config), clock: config.clock });
  const plugins = await openAdmission(config.admission, config.dialect);
  const webhookClients = link?.webhookClients() ?? (await openWebhookClients(config));
  let audit: Auditor | undefined;
  try {
    audit = await openAudit(config);
    return { serving, frontProxy, plugins, link, webhookClients, audit, ...(await openStore(config)) };
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

class KeelsonServer implements ExtensionServer {
  readonly fetch: InProcessFetch;
  readonly #config: ServerConfig;
  readonly #store: Store;
  readonly #release: () => Promise<void>;
  readonly #audit: Auditor | undefined;
  readonly #webhookClients: WebhookClients;
  readonly #health: HealthState;
  readonly #history: HistoryWindow | undefined;
  readonly #trust: ClientTrust;
  readonly #serving: ServingCertificates;
  readonly #frontProxy: FrontProxy;
  readonly #link: ClusterLink | undefined;
  readonly #wired: Wired;
  readonly #client: Client;
  readonly #controllers: ControllerSet;
  readonly #presence = new OwnPresence();
  readonly #ownObjects: OwnObjects;
  readonly #draining = new AbortController();
  readonly #untilRoom: UntilRoom;
  #listening: { readonly listener: Listener; readonly url: string; readonly kubeconfig: string } | undefined;
  #madeIdentity: Identity | undefined;
  #closing: Promise<void> | undefined;
  #files: FilePoll | undefined;
  #controllersWait: Timer | undefined;
  #closed = false;

  constructor(config: ServerConfig, opened: Opened) {
    const { store, release, webhookClients, audit, serving, frontProxy, plugins, link } = opened;
    setMaxListeners(0, this.#draining.signal);
    this.#config = config;
    this.#store = store;
    this.#release = release;
    this.#audit = audit;
    this.#webhookClients = webhookClients;
    const builtIn = [namespacesHook, rolesHook, servicesHook, customResourcesHook, aggregationHook, ...objectHooks];
    const hooks = link === undefined ? builtIn : [trustHook];
    this.#health = new HealthState(store, hooks, { clock: config.clock, graceMs: config.livezGraceMs });
    const complain = (error: unknown) => config.log.error({ err: error }, 'compaction failed');
    const { historyMs } = config;
    this.#history = historyMs === undefined ? undefined : new HistoryWindow(store, config.clock, historyMs, complain);
    this.#untilRoom = new UntilRoom(store, config.clock, (error) =>
      config.log.warn({ err: error }, 'the disk is full: a step of the start waits for free space'),
    );
    const { clientCaFile, requestHeader } = config.authentication;
    this.#trust = new ClientTrust({ users: clientCaFile, proxies: requestHeader?.caFile });
    this.#serving = serving;
    this.#frontProxy = frontProxy;
    frontProxy.onAuthority = (pem) => this.#changeTrust(() => this.#trust.addOwnProxy(pem));
    this.#link = link;
    const url = () => this.#listening?.url;
    const presence = this.#presence;
    this.#wired = wire(config, store, this.#health, {
      trust: this.#trust,
      webhookClients,
      url,
      audit,
      plugins,
      presence,
      frontProxy,
      link,
    });
    this.#client = new Client(loopbackTransport(this.#wired.handler));
    this.#controllers = this.#controllerSet();
    this.#ownObjects = new OwnObjects({
      ...{ config, store, frontProxy, trust: this.#trust, client: this.#client, resources: this.#wired.resources },
      ownCa: () => this.#identity().ca,
    });
    this.#wired.metrics.include(queueMetrics(() => this.#controllers.queues));
    if (audit !== undefined) this.#wired.metrics.include(auditMetrics(audit));
    this.fetch = inProcessFetch(this.#wired.handler, this.#draining.signal, () => this.#closed);
  }

  get url(): string {
    return this.#opened().url;
  }

  get kubeconfig(): string {
    return this.#opened().kubeconfig;
  }

  get apiServices(): readonly ApiObject[] {
    this.#opened();
    const { extension, dialect } = this.#config;
    return extension === undefined ? [] : apiServicesOf(extension, this.#identity().servingCa, dialect);
  }

  get kubeconfigPath(): string | undefined {
    const { dataDir } = this.#config;
    return dataDir === undefined || this.#listening === undefined ? undefined : join(dataDir, 'kubeconfig');
  }

  async prepare(): Promise<void> {
    await Promise.all([this.#wired.authentication.start(), this.#wired.admission.start()]);
    const { dialect, serviceRanges, serviceNodePorts, securePort, clock } = this.#config;
    const namespaces = () => createSystemNamespaces(this.#client, dialect);
    const services = (first: Promise<void>) =>
      createServiceNetwork(this.#client, storedRecords(this.#store), {
        dialect,
        namespaces: first,
        ranges: serviceRanges,
        nodePorts: serviceNodePorts,
        securePort: securePort || usualPort,
        clock,
      });
    // all at once: what does not wait for anything else shares one write to the disk
    const made = namespaces();
    await Promise.all([
      this.#startStep(namespaces, [namespacesHook], made),
      this.#startStep(() => createSystemObjects(this.#client, dialect), objectHooks),
      this.#startStep(() => this.#wired.authorization.start(), [rolesHook]),
      this.#startStep(() => this.#wired.customResources.start(), [customResourcesHook]),
      this.#startStep(() => this.#wired.aggregation.start(), [aggregationHook]),
      this.#startStep(() => services(namespaces()), [servicesHook], services(made)),
    ]);
    this.#controllersWait = systemClock.after(controllersWaitMs, () => {
      this.#controllers.start();
      this.#ownObjects.start();
    });
  }

  /** Everything else that a cluster begins with is the other server's. */
  async prepareExtension(): Promise<void> {
    await Promise.all([this.#wired.authentication.start(), this.#wired.admission.start()]);
    const link = this.#link as ClusterLink;
    link.onTrust = ({ clientCa: users, proxies }) => {
      this.#changeTrust(() => this.#trust.believeCluster({ users, proxies: proxies?.ca ?? '' }));
      this.#health.hookDone(trustHook);
    };
    link.start();
  }

  /** On a full disk a step is tried again until there is room; the server is there meanwhile, and says that it is not ready. */
  async #startStep(step: () => Promise<void>, hooks: readonly string[], first = step()): Promise<void> {
    await this.#untilRoom.run(step, first, () => {
      for (const hook of hooks) this.#health.hookDone(hook);
    });
  }

  async listen(): Promise<void> {
    if (this.#listening !== undefined) throw new Error('the server is listening already');
    const { bindAddress, securePort, clock, log, dataDir, tls, connections } = this.#config;
    const identity = this.#identity();
    this.#trust.addOwn(identity.ca);
    const { minVersion, ciphers } = tls;
    const listener = await Listener.open({
      handler: this.#wired.handler,
      clock,
      identity: this.#shown(),
      minVersion,
      ciphers,
      host: bindAddress,
      port: securePort,
      limits: connections,
      onStreamError: (error) => log.warn({ err: error }, 'a streamed answer failed'),
    });
    this.#presence.listensAt(listener.port);
    const url = `https://${reachable(bindAddress)}:${listener.port}`;
    const kubeconfig = kubeconfigFor(url, identity);
    this.#listening = { listener, url, kubeconfig };
    const followed = [this.#trust, this.#serving, this.#frontProxy];
    if (followed.some(({ hasFiles }) => hasFiles)) this.#followFiles(listener);
    if (dataDir !== undefined) {
      const write = async () => writeAtomically(join(dataDir, 'kubeconfig'), kubeconfig, 0o600);
      await this.#untilRoom.run(write, write());
    }
    if (this.#link !== undefined) return;
    this.#ownObjects.listensAt(listener.port);
    const advertised = `https://${reachable(ownAddress(this.#config))}:${listener.port}`;
    const publish = () => this.#publish(advertised, identity.servingCa);
    await this.#untilRoom.run(publish, publish());
  }

  /** Tells newcomers where the server is. */
  async #publish(server: string, ca: string): Promise<void> {
    const { dialect, controllers } = this.#config;
    if (runsBootstrapSigner(controllers)) await publishClusterInfo(this.#client, dialect, { server, ca });
  }

  /** What connections made from now on see. */
  #shown(): ListenerIdentity {
    const shown = { ...this.#identity().serving, named: this.#serving.named, clientCa: this.#trust.pems };
    this.#presence.shows(shown);
    return shown;
  }

  /** Files of certificates and CAs may change while the server runs; new connections then see the new ones. */
  #followFiles(listener: Listener): void {
    this.#files = new FilePoll(this.#config.clock, () => {
      const isNew = [this.#trust, this.#serving].map((files) => this.#reload(files));
      if (isNew.includes(true)) listener.renew(this.#shown());
      if (isNew[0]) this.#ownObjects.trustChanged();
      this.#reload(this.#frontProxy);
    });
  }

  /** Connections made from now on hear of the other CAs. */
  #changeTrust(change: () => void): void {
    change();
    this.#listening?.listener.renew(this.#shown());
  }

  /** Files that are being replaced may not fit together for a moment: the old ones stay until they do. */
  #reload(files: { reload(): boolean }): boolean {
    try {
      return files.reload();
    } catch (error) {
      this.#config.log.warn({ err: error }, 'certificates could not be read again, the old ones stay');
      return false;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#health.stopping();
    this.#controllersWait?.cancel();
    await this.#ownObjects.withdraw();
    await this.#linger();
    this.#files?.stop();
    this.#untilRoom.close();
    this.#draining.abort();
    await this.#link?.close();
    await this.#listening?.listener.close(this.#config.shutdownGraceMs);
    this.#wired.aggregation.stop();
    await this.#controllers.close();
    await this.#ownObjects.close();
    this.#history?.close();
    this.#wired.authentication.close();
    this.#wired.authorization.close();
    this.#wired.customResources.close();
    this.#wired.admission.close();
    await this.#wired.aggregation.close();
    this.#wired.webhooks.close();
    this.#webhookClients.close();
    this.#wired.resources.close();
    this.#closed = true;
    await this.#audit?.close();
    await this.#store.close();
    await this.#release();
  }

  /** Time for load balancers to see that the server is not ready any more, and to send no requests here. */
  async #linger(): Promise<void> {
    const { shutdownDelayMs, clock } = this.#config;
    if (this.#listening === undefined || shutdownDelayMs === 0) return;
    await new Promise<void>((resolve) => clock.after(shutdownDelayMs, resolve));
  }

  #controllerSet(): ControllerSet {
    const { clock, log, dialect, controllers, store } = this.#config;
    return new ControllerSet({
      client: this.#client,
      store: this.#store,
      resources: this.#wired.resources,
      selection: controllers,
      isShared: store.kind === 'etcd',
      parts: {
        rootCa: () => this.#identity().servingCa,
        instances: this.#wired.customResources.instances,
        probeApi: (object) => this.#wired.aggregation.probe(object),
        issueToken: (secret, account) => this.#wired.authentication.tokenForSecret(secret, account),
      },
      onError: (fields, message) => log.warn(fields, message),
      ...{ clock, dialect },
    });
  }

  /** Made on first use: a server that does not listen may never. */
  #identity(): Identity {
    this.#madeIdentity ??= openServerIdentity(this.#config);
    const own = this.#serving.main;
    if (own === undefined) return this.#madeIdentity;
    // clients have to trust the CA that signed it
    return { ...this.#madeIdentity, servingCa: own.certificate, serving: own };
  }

  #opened() {
    if (this.#listening === undefined) throw new Error('the server is not listening: call listen() first');
    return this.#listening;
  }
}

/** An address that a client on this machine can use. */
function reachable(bindAddress: string): string {
  if (bindAddress === '0.0.0.0' || bindAddress === '::') return '127.0.0.1';
  return bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
}

function openServerIdentity(config: ServerConfig): Identity {
  const own = [...servingHosts(config.bindAddress, config.dialect.vendor), ownAddress(config)];
  const hosts =
    config.extension === undefined ? [...new Set(own)] : extensionHosts(config.extension, config.bindAddress);
  const now = config.clock.now();
  const folder = pkiFolder(config);
  return folder === undefined ? createIdentity(hosts, now) : openIdentity(folder, hosts, now);
}

const pkiFolder = ({ dataDir }: ServerConfig) => (dataDir === undefined ? undefined : join(dataDir, 'pki'));
