// Everything put together: from a store and a configuration to one handler for requests.

import type { Auditor } from '../../audit/auditor.ts';
import type { LogSettings } from '../../base/log-levels.ts';
import type { SharedCounts } from '../../base/shared-counts.ts';
import { Client } from '../../client/client.ts';
import { openAllowedLabels } from '../../config/metric-options.ts';
import type { Sessions } from '../../console/sessions.ts';
import { addSignInLinks } from '../../console/sign-in-links.ts';
import { addFlowControlPages } from '../../discovery/flow-control-pages.ts';
import { addRequestPage } from '../../discovery/request-page.ts';
import type { Routes } from '../../discovery/routes.ts';
import { ShownApis } from '../../discovery/shown-apis.ts';
import { KeptForms } from '../../handlers/forms/kept-forms.ts';
import { OpenConnections } from '../../handlers/long-running.ts';
import type { Services } from '../../handlers/services.ts';
import { type OpenWatches, openWatchesOf } from '../../handlers/watch/open-watches.ts';
import { addAccessPages } from '../../insight/access-pages.ts';
import { addHistoryPage } from '../../insight/history-page.ts';
import { addPolicyPage } from '../../insight/policy-page.ts';
import { addWatchPage } from '../../insight/watch-page.ts';
import { maxBodyBytes } from '../../meta/body-limits.ts';
import { inOwnWords } from '../../meta/dialect.ts';
import type { Handler } from '../../meta/exchange.ts';
import { requireAccess } from '../../meta/require-access.ts';
import { addressMetrics } from '../../metrics/address-metrics.ts';
import { nodePortMetrics } from '../../metrics/allocation-metrics.ts';
import { callMetrics } from '../../metrics/call-metrics.ts';
import { featureMetrics } from '../../metrics/feature-metrics.ts';
import { FilterMetrics } from '../../metrics/filter-metrics.ts';
import { flowControlMetrics } from '../../metrics/flow-control-metrics.ts';
import { buildInfo, compatibilityInfo } from '../../metrics/health-metrics.ts';
import { ImpersonationMetrics } from '../../metrics/impersonation-metrics.ts';
import { longRunningMetrics } from '../../metrics/load-metrics.ts';
import type { MetricSource } from '../../metrics/metric-source.ts';
import { objectMetrics } from '../../metrics/object-metrics.ts';
import { processMetrics } from '../../metrics/process-metrics.ts';
import { deprecatedReleases, RequestMetrics } from '../../metrics/request-metrics.ts';
import { storeMetrics, watchMetrics } from '../../metrics/store-metrics.ts';
import { taskMetrics } from '../../metrics/task-metrics.ts';
import type { Lane } from '../../pipeline/lane.ts';
import { InFlight, inFlightCounts } from '../../pipeline/limit.ts';
import { createLanePipeline, createPipeline, type PipelineConfig } from '../../pipeline/pipeline.ts';
import type { Store } from '../../storage/store.ts';
import { openBackends } from '../../transport/http/backends.ts';
import { loopbackTransport } from '../../transport/loopback.ts';
import { DecisionLog } from '../auth/decision-log.ts';
import { consoleOf, signInLink } from '../console.ts';
import { createFlowControl, type ServedFlowControl } from '../flow-control.ts';
import type { HealthState } from '../health-state.ts';
import { ownLabels } from '../own/own-labels.ts';
import { ownRequests } from '../own/own-requests.ts';
import { type RecordedRequests, readRecord } from '../recorded-requests.ts';
import { RequestLog } from '../request-log.ts';
import { requestSizes } from '../request-sizes.ts';
import type { LoggedConfig } from '../server-log.ts';
import { routesOf } from '../server-routes.ts';
import { withSimulatedAgents } from '../simulation/simulated-agents.ts';
import { SimulatedMetrics } from '../simulation/simulated-metrics.ts';
import type { MetricPage } from '../threads/serving-role.ts';
import { EngineMetrics } from './engine-metrics.ts';
import { createEngines, type EngineDeps, type Engines, type Observers } from './engines.ts';

const labelsProblem = 'the file of allowed metric labels cannot be used; no label is limited';

export interface Wired extends Engines {
  readonly handler: Handler;
  /** Serves large requests that other threads have received. */
  readonly laneHandler: Handler;
  readonly metrics: RequestMetrics;
  readonly observers: Observers;
  readonly flowControl: ServedFlowControl;
  readonly keptForms: KeptForms;
}

interface WiringDeps extends Omit<EngineDeps, 'requests' | 'client'> {
  readonly audit: Auditor | undefined;
  readonly requests: Pick<RecordedRequests, 'tracer' | 'read'>;
  /** What all threads have together; absent where there is one. */
  readonly shared?: {
    readonly inFlight: SharedCounts;
    readonly lane: Lane | undefined;
    /** Of the web console, where that is on. */
    readonly sessions: Sessions | undefined;
    metricPage(own: RequestMetrics): MetricPage;
    /** The open watches of all threads. */
    watches(): Promise<OpenWatches>;
    onLogChange(settings: LogSettings): void;
  };
}

/** What all of the functions below connect. */
interface Parts {
  readonly store: Store;
  readonly config: LoggedConfig;
  readonly engines: Engines;
  readonly health: HealthState;
  readonly deps: WiringDeps;
  readonly observers: Observers;
  readonly connections: OpenConnections;
  readonly filters: FilterMetrics;
  readonly impersonation: ImpersonationMetrics;
  readonly metrics: RequestMetrics;
  readonly simulated: SimulatedMetrics;
  readonly inFlight: SharedCounts;
  readonly flowControl: ServedFlowControl;
  readonly keptForms: KeptForms;
}

export function wire(config: LoggedConfig, store: Store, health: HealthState, deps: WiringDeps): Wired {
  const { dialect, log } = config;
  const observers = { decisions: new DecisionLog(log), metrics: new EngineMetrics(ownLabels(dialect)) };
  const loopback: Handler = (request) => wired.handler(request);
  const client = new Client(loopbackTransport(loopback, dialect.serverName));
  const engines = createEngines(config, store, { ...deps, client, requests: ownRequests(client) }, observers);
  const { authentication, resources, aggregation } = engines;
  const { simulation, clock } = config;
  const simulated = new SimulatedMetrics({ simulation, clock, dialect, objects: engines.objects });
  const impersonation = new ImpersonationMetrics();
  const filters = new FilterMetrics({
    authentication: authentication.metrics.filterSeconds,
    constrainedimpersonation: impersonation.filterSeconds,
  });
  const metrics = requestMetrics(config, deps.hooks.serving === undefined);
  const inFlight = deps.shared?.inFlight ?? inFlightCounts(1);
  const flowControl = createFlowControl(config, engines, inFlight);
  const parts: Parts = {
    ...{ config, store, engines, health, deps, observers, filters, impersonation, metrics, simulated },
    ...{ inFlight, flowControl },
    keptForms: new KeptForms(keptFormBytes(config.threads.most), clock),
    connections: new OpenConnections(),
  };
  metrics.include(metricSources(parts));
  const routes = routesOf(
    config,
    resources,
    new ShownApis(resources, simulated.besides(aggregation.discovery)),
    metrics,
    {
      health,
      url: deps.url,
      page: deps.shared?.metricPage(metrics) ?? metrics,
      onLogChange: (settings) => deps.shared?.onLogChange(settings),
    },
  );
  authentication.addRoutes(routes);
  deps.requests.tracer.countWatches = requestSizes(resources, config.clock).watches;
  addRequestPage(routes, (query) => deps.requests.read(query));
  const { url, shared: { sessions } = {} } = deps;
  if (sessions !== undefined) addSignInLinks(routes, () => signInLink(url(), sessions));
  addAccessPages(routes, { dialect, resources, ...accessOf(engines.authorization) });
  addHistoryPage(routes, resources);
  addWatchPage(routes, async () => (await deps.shared?.watches()) ?? openWatchesOf(resources));
  addPolicyPage(routes, {
    ...{ resources, dialect, access: engines.authorization.access, engines: engines.admission.engines },
    readRecord: (sequence) => readRecord(deps.requests, sequence),
  });
  if (flowControl.control !== undefined) addFlowControlPages(routes, flowControl.control);
  const pipeline = pipelineOf(parts, routes);
  const inOrder = (handler: Handler) => following(deps.hooks.serving?.catchUp, handler);
  const handler = inOrder(createPipeline(pipeline));
  const wired = {
    ...engines,
    metrics,
    observers,
    flowControl,
    keptForms: parts.keptForms,
    handler,
    laneHandler: inOrder(createLanePipeline(pipeline)),
  };
  return wired;
}

const accessOf = ({ access, roles, unlisted }: Engines['authorization']) => ({ access, roles, unlisted });

/** Each request begins with everything that was acknowledged before it, on whatever thread. */
function following(catchUp: (() => void) | undefined, handler: Handler): Handler {
  if (catchUp === undefined) return handler;
  return (request) => {
    catchUp();
    return handler(request);
  };
}

function requestMetrics({ metrics, log, dialect }: LoggedConfig, isMain: boolean): RequestMetrics {
  return new RequestMetrics({
    nameOf: (name) => inOwnWords(dialect, name),
    release: metrics.release,
    ...(isMain ? { ofProcess: processMetrics } : {}),
    disabled: metrics.disabled,
    allowedLabels: () => openAllowedLabels(metrics, (error) => log.error({ err: error }, labelsProblem)),
    onDeprecated(name, since) {
      // once for all threads
      if (!isMain) return;
      const text = `metric ${name} is deprecated since 1.${since} and will be hidden in 1.${since + deprecatedReleases}`;
      log.warn({ metric: name, since: `1.${since}` }, text);
    },
  });
}

function metricSources({
  config,
  store,
  engines,
  deps,
  observers,
  connections,
  filters,
  impersonation,
  flowControl,
  metrics,
}: Parts): readonly MetricSource[] {
  const { authentication, resources, customResources } = engines;
  const { dialect, versions } = config;
  return [
    ...authentication.metrics.sources,
    ...deps.webhookClients.authorizationMetrics.sources,
    ...longRunningMetrics(resources, connections),
    ...objectMetrics(resources),
    ...storeMetrics(resources),
    ...watchMetrics(resources),
    ...authentication.tokenMetrics,
    ...filters.sources,
    ...impersonation.sources,
    ...addressMetrics(resources, dialect, config.serviceRanges),
    ...nodePortMetrics(store),
    ...callMetrics(store.calls),
    ...taskMetrics({ resources, connections, requests: () => metrics.underWay }),
    ...observers.metrics.sources,
    buildInfo(versions),
    compatibilityInfo(dialect, versions),
    featureMetrics(config.gateStates),
    ...customResources.metrics,
    ...(flowControl.control === undefined ? [] : flowControlMetrics(flowControl.control, config.clock)),
  ];
}

function pipelineOf(parts: Parts, routes: Routes): PipelineConfig {
  const { config, engines, deps, observers, filters, impersonation, metrics, simulated } = parts;
  const { authentication, authorization, resources, aggregation } = engines;
  const { clock, dialect, log } = config;
  const requestLog = new RequestLog(log);
  const console = consoleOf(deps.shared?.sessions);
  return {
    ...{ clock, dialect, resources, routes },
    console: console?.answer,
    authenticators: [...(console?.authenticators ?? []), ...authentication.authenticators],
    authenticationObserver: authentication.metrics,
    access: observers.decisions.access(authorization.access),
    authorizationObserver: filters,
    impersonationObserver: impersonation,
    audit: deps.audit,
    lane: deps.shared?.lane,
    interceptor: deps.hooks.interceptor,
    elsewhere: (exchange) => aggregation.answer(exchange) ?? simulated.answer(exchange),
    services: servicesOf(parts),
    requestTimeoutMs: config.requestTimeoutMs,
    inFlight: new InFlight(config.inFlight, parts.inFlight),
    flowControl: parts.flowControl.control,
    corsOrigins: config.serving.corsOrigins,
    headers: config.serving.headers,
    onRequest: (request) => metrics.began(request),
    timing: requestLog,
    tracer: deps.requests.tracer,
    onAnswer(exchange, response) {
      const ms = clock.now() - exchange.startedAt;
      metrics.observe(exchange, response, ms / 1000);
      observers.metrics.terminations.observe(exchange, response);
      observers.metrics.ownCalls.observe(exchange, response);
      if (requestLog.isOn) requestLog.onAnswer(exchange, response, ms);
    },
    onLate: (outcome) => observers.metrics.late.observe(outcome),
    onAborted: (exchange) => observers.metrics.aborts.observe(exchange),
    onUnexpected: ({ id: requestId, info, request }, error) =>
      log.error({ requestId, verb: info?.verb, path: request.path, err: error }, 'request failed unexpectedly'),
  };
}

/** Of all threads together, and at least of each: messages of a list of some thousand pods. */
const keptFormLimits = { bytes: 48 * 1024 * 1024, minBytes: 24 * 1024 * 1024 };

const keptFormBytes = (threads: number) => Math.max(keptFormLimits.bytes / threads, keptFormLimits.minBytes);

function servicesOf({ config, engines, health, connections, keptForms, deps }: Parts): Services {
  const { objects, deadlines, own, identityHeaders, authorization, authentication, admission } = engines;
  const { dialect, clock, serving, featureGates } = config;
  return {
    ...{ dialect, clock, objects, deadlines, identityHeaders, connections, maxBodyBytes, keptForms },
    components: () => health.components(),
    backends: withSimulatedAgents(openBackends(config.nodeTrust, own), {
      simulation: config.simulation,
      ...{ clock, objects },
    }),
    requireAccess: (user, info) => requireAccess(authorization.access, user, info),
    access: authorization.access,
    tokens: authentication.tokens,
    admission: admission.chain,
    notice: (fields, message) => config.log.warn(fields, message),
    minWatchSeconds: config.minWatchSeconds,
    deleteCollectionWorkers: serving.deleteCollectionWorkers,
    nodeAddressTypes: serving.nodeAddressTypes,
    chunksLists: featureGates.APIListChunking,
    splitsLogs: featureGates.PodLogsQuerySplitStreams,
    traceHeaders: (exchange) => deps.requests.tracer.headersFor(exchange),
  };
}
