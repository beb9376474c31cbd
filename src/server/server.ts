// The server as embedders and the command line see it: created, perhaps listening, closed.

import { setMaxListeners } from 'node:events';
import type { Auditor } from '../audit/auditor.ts';
import type { LogSettings } from '../base/log-levels.ts';
import { systemClock, type Timer } from '../base/time/clock.ts';
import { createServiceNetwork } from '../bootstrap/service-network.ts';
import { createSystemNamespaces } from '../bootstrap/system-namespaces.ts';
import { createSystemObjects } from '../bootstrap/system-objects.ts';
import { Client } from '../client/client.ts';
import { portStore } from '../groups/core/v1/service/node-ports.ts';
import type { Handler } from '../meta/exchange.ts';
import type { ApiObject } from '../meta/object.ts';
import { AvailabilityMetrics } from '../metrics/availability-metrics.ts';
import { certificateMetrics } from '../metrics/certificate-metrics.ts';
import type { MetricSnapshot } from '../metrics/metric-snapshot.ts';
import { queueMetrics } from '../metrics/queue-metrics.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import { serverMetrics } from '../metrics/server-metrics.ts';
import { threadMetrics } from '../metrics/thread-metrics.ts';
import { inFlightCounts } from '../pipeline/limit.ts';
import { signLeaf } from '../pki/certificates.ts';
import { ClientTrust } from '../pki/client-trust.ts';
import { kubeconfigFor } from '../pki/kubeconfig.ts';
import type { SigningAuthorities } from '../pki/signing-authorities.ts';
import { storedRecords } from '../registry/records.ts';
import type { Resources } from '../registry/resources.ts';
import type { Records } from '../schema/allocator.ts';
import { HistoryWindow } from '../storage/history-window.ts';
import type { Store } from '../storage/store.ts';
import { type InProcessFetch, inProcessFetch } from '../transport/in-process.ts';
import { loopbackTransport } from '../transport/loopback.ts';
import { auditMetrics } from './audit.ts';
import { certificateSigner } from './certificates/certificate-signer.ts';
import { ServerCertificates } from './certificates/server-certificates.ts';
import type { ClusterLink } from './cluster-link.ts';
import { sessionsOf, signInLink } from './console.ts';
import { ControllerSet } from './controllers.ts';
import { apiServicesOf } from './extension-registration.ts';
import { healthOf } from './health-of.ts';
import type { HealthState } from './health-state.ts';
import { OwnObjects, usualPort } from './own/own-objects.ts';
import { OwnPresence } from './own/own-presence.ts';
import { RecordedRequests } from './recorded-requests.ts';
import type { LoggedConfig } from './server-log.ts';
import { ServerPort } from './server-port.ts';
import { Announcement } from './start/announcement.ts';
import type { Opened } from './start/opening.ts';
import type { ServerHooks, ServerParts } from './start/server-hooks.ts';
import { startHooks, trustHook } from './start/start-hooks.ts';
import { StartSteps } from './start/start-steps.ts';
import { type Wired, wire } from './start/wiring.ts';
import { fileSize } from './store-file-size.ts';
import { storedServices } from './stored-services.ts';
import { ServerThreads, watchesOfThreads } from './threads/server-threads.ts';
import type { MetricPage } from './threads/serving-role.ts';
import { tracingMetrics } from './tracing.ts';
import { UntilRoom } from './until-room.ts';
import type { WebhookClients } from './webhook-clients.ts';

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

/** Controllers leave the first moments to requests, in real time, however the server's own clock goes. */
const controllersWaitMs = 50;

/** Controllers that never come to rest are waited for no longer. */
const settlingMs = 2000;

export class KeelsonServer implements ExtensionServer, ServerParts {
  readonly fetch: InProcessFetch;
  readonly handler: Handler;
  readonly resources: Resources;
  readonly #config: LoggedConfig;
  readonly #store: Store;
  readonly #release: () => Promise<void>;
  readonly #audit: Auditor | undefined;
  readonly #webhookClients: WebhookClients;
  readonly #health: HealthState;
  readonly #history: HistoryWindow | undefined;
  readonly #certificates: ServerCertificates;
  readonly #signing: SigningAuthorities;
  readonly #link: ClusterLink | undefined;
  readonly #wired: Wired;
  readonly #sessions: ReturnType<typeof sessionsOf>;
  readonly #client: Client;
  readonly #controllers: ControllerSet;
  readonly #availability = new AvailabilityMetrics();
  readonly #ownObjects: OwnObjects;
  readonly #draining = new AbortController();
  readonly #untilRoom: UntilRoom;
  readonly #steps: StartSteps;
  readonly #announcement: Announcement;
  readonly #hooks: ServerHooks;
  readonly #threads: ServerThreads;
  readonly #requests: RecordedRequests;
  readonly #port: ServerPort;
  #closing: Promise<void> | undefined;
  #controllersWait: Timer | undefined;
  #closed = false;

  constructor(config: LoggedConfig, opened: Opened, hooks: ServerHooks = {}) {
    const { store, release, webhookClients, audit, tracing, serving, signing, frontProxy, plugins, link } = opened;
    setMaxListeners(0, this.#draining.signal);
    this.#config = config;
    this.#store = store;
    this.#release = release;
    this.#audit = audit;
    this.#webhookClients = webhookClients;
    this.#health = healthOf(config, opened, config.threads.most > 1 || hooks.serving !== undefined);
    const { historyMs } = config;
    this.#hooks = hooks;
    this.#sessions = sessionsOf(config, hooks.serving);
    const inFlight = hooks.serving?.inFlight ?? inFlightCounts(config.threads.most + 1);
    const { ownsProcess = false, threads: threadHooks = {} } = hooks;
    this.#requests = new RecordedRequests({
      ...{ clock: config.clock, tracing, remote: hooks.serving?.requests },
      onOpen: (isOpen) => this.#threads.recordRequests(isOpen),
    });
    this.#threads = new ServerThreads({
      ...{ config, ownsProcess, inFlight, audit, threads: config.threads, local: opened.local, hooks: threadHooks },
      ...{ sessions: this.#sessions, requests: this.#requests },
      metrics: () => this.#metricPage(this.#wired.metrics).render(),
      resetMetrics: () => this.#metricPage(this.#wired.metrics).reset(),
      watches: () => watchesOfThreads(this.resources, this.#threads),
      shed: (share) => this.shed(share),
    });
    if (historyMs !== undefined)
      this.#history = new HistoryWindow(store, config.clock, historyMs, {
        onCompacted: (revision) => this.#wired.resources.trimHistory(revision),
        onError: (error) => config.log.error({ err: error }, 'compaction failed'),
      });
    this.#untilRoom = new UntilRoom(store, config.clock, (error) =>
      config.log.warn({ err: error }, 'the disk is full: a step of the start waits for free space'),
    );
    this.#steps = new StartSteps(startHooks(config.dialect), this.#health, this.#untilRoom);
    const { clientCaFile, requestHeader } = config.authentication;
    const trust = new ClientTrust({ users: clientCaFile, proxies: requestHeader?.caFile });
    this.#certificates = new ServerCertificates(config, { trust, given: serving, frontProxy });
    this.#signing = signing;
    frontProxy.onAuthority = (pem) => this.#port.changeTrust(() => trust.addOwnProxy(pem));
    this.#link = link;
    const url = () => (this.#port.isOpen ? this.#port.url : undefined);
    const presence = new OwnPresence();
    this.#wired = wire(config, store, this.#health, {
      trust,
      webhookClients,
      url,
      audit,
      plugins,
      presence,
      frontProxy,
      link,
      hooks,
      requests: this.#requests,
      shared: {
        ...{ inFlight, sessions: this.#sessions },
        lane: hooks.serving === undefined ? this.#threads.lane : hooks.serving.lane,
        metricPage: (own) => hooks.serving?.metrics ?? this.#metricPage(own),
        watches: () => hooks.serving?.watches() ?? watchesOfThreads(this.resources, this.#threads),
        onLogChange: (settings) => this.#passLog(settings),
      },
    });
    this.#port = new ServerPort({
      ...{ config, trust, presence, handler: this.#wired.handler, certificates: this.#certificates },
      socket: hooks.sockets ?? hooks.serving?.socket,
      sharesPort: hooks.serving !== undefined || this.#threads.sharesPort,
      pass: hooks.serving === undefined ? this.#threads.pass : undefined,
    });
    this.#client = this.#clientNamed(config.dialect.serverName);
    this.#controllers = this.#controllerSet();
    this.#ownObjects = new OwnObjects({
      ...{ config, store, frontProxy, trust, client: this.#client, resources: this.#wired.resources },
      ownCa: () => this.#certificates.identity.ca,
    });
    this.#announcement = new Announcement({
      ...{ config, client: this.#client },
      // they look at every namespace again when they start
      onOtherCa: () => this.#controllers.restart(),
    });
    this.#includeMetrics(opened);
    this.handler = this.#wired.handler;
    this.resources = this.#wired.resources;
    this.fetch = inProcessFetch(this.#wired.handler, this.#draining.signal, () => this.#closed);
  }

  #includeMetrics({ audit, encryptionMetrics, tracing }: Opened): void {
    const { metrics } = this.#wired;
    metrics.include(queueMetrics(() => this.#controllers.queues));
    const handshakeErrors = () => this.#port.handshakeErrors;
    metrics.include(serverMetrics({ handshakeErrors, storeBytes: () => fileSize(this.#config.store) }));
    metrics.include(this.#availability.sources);
    metrics.include(certificateMetrics(() => this.#certificates.list()));
    metrics.include([...auditMetrics(audit), ...tracingMetrics(tracing)]);
    metrics.include(encryptionMetrics.sources);
    metrics.include(threadMetrics(() => this.#threads.use));
  }

  get url(): string {
    return this.#port.url;
  }

  signInLink(): string | undefined {
    return this.#sessions && signInLink(this.url, this.#sessions);
  }

  get store(): Store {
    return this.#store;
  }

  kubeconfigFor({ name, groups }: { readonly name: string; readonly groups: readonly string[] }): string {
    const { identity } = this.#certificates;
    const request = { usage: 'client', commonName: name, organizations: groups } as const;
    const admin = signLeaf(identity.authority, request, this.#config.clock.now());
    return kubeconfigFor(this.#port.url, { ...identity, admin });
  }

  get kubeconfig(): string {
    return kubeconfigFor(this.#port.url, this.#certificates.identity);
  }

  get apiServices(): readonly ApiObject[] {
    this.#port.checkOpen();
    const { extension, dialect } = this.#config;
    return extension === undefined ? [] : apiServicesOf(extension, this.#certificates.identity.servingCa, dialect);
  }

  get kubeconfigPath(): string | undefined {
    return this.#port.isOpen ? this.#announcement.kubeconfigPath : undefined;
  }

  async prepare(): Promise<void> {
    await Promise.all([
      this.#wired.authentication.start().then(() => this.#steps.done('identity')),
      this.#wired.admission.start().then(() => this.#steps.done('admission')),
      Promise.resolve(this.#store.currentRevision()).then(() => this.#steps.done('store')),
    ]);
    const { dialect, serviceRanges, serviceNodePorts, securePort, ownNodePort, clock } = this.#config;
    const namespaces = () => createSystemNamespaces(this.#client, dialect);
    const records = this.#records();
    const services = (first: Promise<void>) =>
      createServiceNetwork(this.#client, records, {
        dialect,
        namespaces: first,
        ranges: serviceRanges,
        nodePorts: serviceNodePorts,
        securePort: securePort || usualPort,
        ownNodePort,
        clock,
      });
    // all at once: what does not wait for anything else shares one write to the disk
    const made = namespaces();
    await Promise.all([
      this.#steps.run(namespaces, 'namespaces', made),
      this.#steps.run(() => createSystemObjects(this.#client, dialect), 'objects'),
      this.#steps.run(() => this.#wired.authorization.start(), 'roles'),
      this.#steps.run(() => this.#wired.flowControl.start(), 'flowControl'),
      this.#steps.run(() => this.#wired.customResources.start(), 'customResources'),
      this.#steps.run(() => this.#wired.aggregation.start(), 'aggregation'),
      this.#steps.run(() => services(namespaces()), 'services', services(made)),
    ]);
    this.#controllersWait = systemClock.after(controllersWaitMs, () => this.#startControllers());
    this.#steps.done('background');
  }

  /** In a thread of several: what is stored was made by the main thread. */
  async prepareServing(): Promise<void> {
    const { authentication, admission, authorization, customResources, aggregation, flowControl } = this.#wired;
    const parts = [authentication, admission, customResources, aggregation, flowControl];
    await Promise.all([authorization.followStored(), ...parts.map((part) => part.start())]);
    authorization.startInBackground();
    for (const [, step] of startHooks(this.#config.dialect)) this.#steps.done(step);
    this.#health.watchThreads(async () => this.#hooks.serving?.threadProblem());
  }

  /** Serves large requests that other threads have received. */
  get laneHandler(): Handler {
    return this.#wired.laneHandler;
  }

  /** For the main thread, which shows the metrics of all. */
  metricSnapshot(): Promise<readonly MetricSnapshot[]> {
    return this.#wired.metrics.snapshot();
  }

  resetOwnMetrics(): void {
    this.#wired.metrics.reset();
  }

  setLog(settings: LogSettings): void {
    this.#config.levels.settings = settings;
  }

  /** Clients begin to read requests, or stop. */
  recordRequests(isOpen: boolean): void {
    this.#requests.record(isOpen);
  }

  /** The whole server is about to stop: this thread is not ready any more. */
  stopping(): void {
    this.#health.stopping();
  }

  /** Sends the clients of a share of the connections off, so that they connect to another thread. */
  shed(share: number): void {
    this.#port.shed(share);
  }

  #passLog(settings: LogSettings): void {
    this.#hooks.serving?.onLogChange(settings);
    this.#threads.setLog(settings);
  }

  #metricPage(own: RequestMetrics): MetricPage {
    return {
      render: async () => own.render(await this.#threads.snapshots()),
      reset: async () => {
        own.reset();
        await this.#threads.resetMetrics();
      },
    };
  }

  #startControllers(): void {
    this.#controllersWait?.cancel();
    this.#controllersWait = undefined;
    this.#wired.authorization.startInBackground();
    this.#controllers.start();
    this.#ownObjects.start();
  }

  async settled(): Promise<void> {
    if (this.#controllersWait !== undefined) this.#startControllers();
    const end = performance.now() + settlingMs;
    for (let quietTurns = 0; quietTurns < 3 && performance.now() < end && !this.#closed; ) {
      await new Promise((resolve) => setImmediate(resolve));
      quietTurns = this.#controllers.isIdle ? quietTurns + 1 : 0;
    }
  }

  /** Everything else that a cluster begins with is the other server's. */
  async prepareExtension(): Promise<void> {
    await Promise.all([this.#wired.authentication.start(), this.#wired.admission.start()]);
    const link = this.#link as ClusterLink;
    link.onTrust = ({ clientCa: users, proxies }) => {
      this.#port.changeTrust((trust) => trust.believeCluster({ users, proxies: proxies?.ca ?? '' }));
      this.#health.hookDone(trustHook);
    };
    link.start();
  }

  async listen(): Promise<void> {
    const { log, dataDir, store } = this.#config;
    const { servers, port } = await this.#port.open();
    if (this.#hooks.serving !== undefined) {
      this.#certificates.follow(async (isNew) => this.#renewPort(isNew));
      return;
    }
    this.#certificates.warnOfEnds();
    this.#health.watchThreads(() => this.#threads.problem());
    await this.#threads.start(servers);
    const announce = () => this.#announce();
    await this.#untilRoom.run(announce, announce());
    if (this.#link === undefined) this.#ownObjects.listensAt(port);
    log.info({ url: this.url, dataDir: dataDir ?? '', store: store.kind }, 'listening');
    this.#certificates.follow((isNew) => this.#renew(isNew));
  }

  #announce(): Promise<void> {
    const { port } = this.#port.listener;
    const { servingCa } = this.#certificates.identity;
    return this.#announcement.tell({ port, kubeconfig: this.kubeconfig, servingCa });
  }

  #renewPort(isNew: boolean): void {
    if (isNew) this.#port.renew();
  }

  async #renew(isNew: boolean): Promise<void> {
    this.#renewPort(isNew);
    if (isNew) {
      this.#ownObjects.trustChanged();
      this.#config.log.info({}, 'certificates have changed');
    }
    try {
      await this.#announce();
    } catch (error) {
      this.#config.log.warn({ err: error }, 'new certificates could not be published; this is tried again');
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
    this.#config.log.info({}, 'stopping');
    this.#health.stopping();
    this.#threads.stopping();
    this.#controllersWait?.cancel();
    await this.#ownObjects.withdraw();
    await this.#linger();
    this.#certificates.close();
    this.#untilRoom.close();
    this.#draining.abort();
    await this.#link?.close();
    await Promise.all([this.#port.close(), this.#threads.close()]);
    this.#wired.aggregation.stop();
    await this.#controllers.close();
    await this.#ownObjects.close();
    this.#history?.close();
    this.#wired.authentication.close();
    this.#wired.authorization.close();
    this.#wired.customResources.close();
    for (const part of [this.#wired.flowControl, this.#wired.keptForms, this.#wired.admission]) part.close();
    await this.#wired.aggregation.close();
    this.#wired.webhooks.close();
    this.#webhookClients.close();
    this.#wired.resources.close();
    this.#closed = true;
    await this.#audit?.close();
    await this.#requests.close();
    await this.#store.close();
    await this.#release();
    this.#config.log.info({}, 'stopped');
    this.#config.log.close();
  }

  /** Time for load balancers to see that the server is not ready any more, and to send no requests here. */
  async #linger(): Promise<void> {
    const { shutdownDelayMs, clock } = this.#config;
    // the main thread waits for all of them
    if (!this.#port.isOpen || shutdownDelayMs === 0 || this.#hooks.serving !== undefined) return;
    await new Promise<void>((resolve) => clock.after(shutdownDelayMs, resolve));
  }

  #records(): Records {
    return storedRecords(this.#store, (key, why) =>
      this.#config.log.error({ key, why }, 'a stored record cannot be read and is made again'),
    );
  }

  #clientNamed(name: string): Client {
    return new Client(loopbackTransport(this.#wired.handler, name));
  }

  #controllerSet(): ControllerSet {
    const { clock, log, dialect, controllers, simulation, featureGates, store, serviceNodePorts } = this.#config;
    const { allocations, podGarbage } = this.#wired.observers.metrics;
    return new ControllerSet({
      clients: { server: this.#client, controllers: this.#clientNamed(dialect.controllersName) },
      ...{ store: this.#store, resources: this.#wired.resources },
      ...{ config: controllers, simulation, gates: featureGates },
      isShared: store.kind === 'etcd',
      parts: {
        rootCa: () => controllers.rootCa ?? this.#certificates.identity.servingCa,
        instances: this.#wired.customResources.instances,
        services: storedServices(this.#wired.objects, dialect),
        probeApi: (object) => this.#wired.aggregation.probe(object),
        onAvailability: (name, found) => this.#availability.observe(name, found),
        issueToken: (secret, account) => this.#wired.authentication.tokenForSecret(secret, account),
        certificateSigner: certificateSigner(this.#config, this.#signing, () => this.#certificates.identity.authority),
        nodePorts: {
          store: portStore(this.#records()),
          range: serviceNodePorts,
          onPortError: (type) => allocations.observeRepair(type),
          onFailure: () => allocations.observeFailedRepair(),
        },
        podGarbage: {
          maxTerminatedPods: controllers.maxTerminatedPods,
          onDeletion: (deletion) => podGarbage.observe(deletion),
        },
      },
      onError: (fields, message) => log.warn(fields, message),
      onLeading: (leads) => log.info({ leads }, leads ? 'the controllers run here' : 'the controllers run elsewhere'),
      ...{ clock, dialect },
    });
  }
}
