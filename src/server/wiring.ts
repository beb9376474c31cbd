// Every engine connected: from a store and a configuration to one handler for requests.

import { randomUUID } from 'node:crypto';
import type { PluginSettings } from '../admission/engines.ts';
import { atEndpoints } from '../aggregation/service-location.ts';
import type { Auditor } from '../audit/auditor.ts';
import { Deadlines } from '../base/deadlines.ts';
import { packageVersion } from '../base/package-version.ts';
import { openAllowedLabels } from '../config/metric-options.ts';
import type { ServerConfig } from '../config/options.ts';
import { servedPart } from '../config/runtime-config.ts';
import { addApiLists, discoveryPaths } from '../discovery/api-lists.ts';
import { addDebugFlags } from '../discovery/debug-flags.ts';
import { addHealth } from '../discovery/health.ts';
import { addOpenApi } from '../discovery/openapi/routes.ts';
import { json, Routes } from '../discovery/routes.ts';
import { ShownApis } from '../discovery/shown-apis.ts';
import { answerVersion } from '../discovery/version.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { identityHeaders } from '../handlers/connect/passed-headers.ts';
import { OpenConnections } from '../handlers/long-running.ts';
import type { ApiResponse, Handler } from '../meta/exchange.ts';
import { requireAccess } from '../meta/require-access.ts';
import { addressMetrics } from '../metrics/address-metrics.ts';
import { AdmissionMetrics } from '../metrics/admission-metrics.ts';
import { featureMetrics } from '../metrics/feature-metrics.ts';
import { FilterMetrics } from '../metrics/filter-metrics.ts';
import { buildInfo, compatibilityInfo, healthMetrics } from '../metrics/health-metrics.ts';
import { longRunningMetrics } from '../metrics/load-metrics.ts';
import { ManifestMetrics } from '../metrics/manifest-metrics.ts';
import { objectMetrics } from '../metrics/object-metrics.ts';
import { PolicyMetrics } from '../metrics/policy-metrics.ts';
import { deprecatedReleases, metric, RequestMetrics } from '../metrics/request-metrics.ts';
import { storeMetrics, watchMetrics } from '../metrics/store-metrics.ts';
import { TerminationMetrics } from '../metrics/termination-metrics.ts';
import { WebhookMetrics } from '../metrics/webhook-metrics.ts';
import { X509Metrics } from '../metrics/x509-metrics.ts';
import { InFlight } from '../pipeline/limit.ts';
import { createPipeline } from '../pipeline/pipeline.ts';
import type { ClientTrust } from '../pki/client-trust.ts';
import type { FrontProxy } from '../pki/front-proxy.ts';
import { objectAccess } from '../registry/object-access.ts';
import { ObjectLookup } from '../registry/object-lookup.ts';
import { Resources } from '../registry/resources.ts';
import type { Store } from '../storage/store.ts';
import { openBackends } from '../transport/http/backends.ts';
import type { WebhookCaller } from '../webhooks/webhook-caller.ts';
import { openWebhookCaller } from '../webhooks/webhook-caller.ts';
import type { Admission } from './admission.ts';
import { createAdmission } from './admission.ts';
import { type Aggregation, createAggregation } from './aggregation.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import { type Authorization, createAuthorization } from './authorization.ts';
import type { ClusterLink } from './cluster-link.ts';
import type { CustomResources } from './custom-resources.ts';
import { createCustomResources } from './custom-resources.ts';
import { DecisionLog } from './decision-log.ts';
import type { HealthState } from './health-state.ts';
import { type OwnPresence, ownServers } from './own-presence.ts';
import { RequestLog } from './request-log.ts';
import type { ServerHooks } from './server-hooks.ts';
import type { ServerLog } from './server-log.ts';
import type { WebhookClients } from './webhook-clients.ts';

const labelsProblem = 'the file of allowed metric labels cannot be used; no label is limited';

/** Larger bodies are refused; kube-apiserver has the same limit. */
const maxBodyBytes = 3 * 1024 * 1024;

export interface Wired {
  readonly handler: Handler;
  readonly resources: Resources;
  readonly authorization: Authorization;
  readonly authentication: Authentication;
  readonly admission: Admission;
  /** Calls webhooks that objects name. */
  readonly webhooks: WebhookCaller;
  readonly metrics: RequestMetrics;
  readonly customResources: CustomResources;
  readonly aggregation: Aggregation;
}

/** What only the server knows: which certificates it trusts, which webhooks it asks, and where it listens. */
interface WiringDeps {
  readonly trust: ClientTrust;
  readonly webhookClients: WebhookClients;
  url(): string | undefined;
  readonly audit: Auditor | undefined;
  readonly presence: OwnPresence;
  /** How the server shows itself to aggregated API servers. */
  readonly frontProxy: FrontProxy;
  /** How admission plugins are set up. */
  readonly plugins: PluginSettings;
  /** Given where the server stands behind another API server. */
  readonly link?: ClusterLink | undefined;
  readonly hooks: ServerHooks;
}

/** A configuration whose log knows levels. */
export interface LoggedConfig extends ServerConfig {
  readonly log: ServerLog;
}

export function wire(config: LoggedConfig, store: Store, health: HealthState, deps: WiringDeps): Wired {
  const { clock, dialect, log } = config;
  const { webhookClients } = deps;
  const decisions = new DecisionLog(log);
  const requestLog = new RequestLog(log);
  const context = { clock, dialect, ...deps };
  const resources = new Resources({
    store,
    clock,
    dialect,
    refusesPrivileged: !config.allowPrivileged,
    ignoresDependents: !config.controllers.collectsGarbage,
    versions: config.versions,
    newUid: randomUUID,
    objects: () => objects,
    expirySeconds: config.eventTtlSeconds,
    onUnreadable: (key, why) => log.error({ key, why }, 'a stored object cannot be read and is left out'),
    onCacheFilled: (prefix, count, ms) => decisions.onCacheFilled(prefix, count, ms),
  });
  const objects = objectAccess(resources);
  const builtIn = config.extension === undefined ? builtInGroups(dialect) : [];
  for (const groupVersion of builtIn) {
    resources.registerReadable(groupVersion);
    const served = servedPart(groupVersion, config.runtimeConfig, config.featureGates);
    if (served !== undefined) resources.serve(served);
  }
  const own = ownServers(deps.presence, objects, dialect);
  const locate = config.aggregation.routesToEndpoints ? atEndpoints(new ObjectLookup(resources), dialect) : undefined;
  const webhookCertificates = new X509Metrics('webhooks');
  const onFlaw = webhookCertificates.observe;
  const webhooks = openWebhookCaller({ clock, objects, locate, own, onFlaw, userAgent: `keelson/${packageVersion()}` });
  const customResources = createCustomResources({
    ...{ resources, builtIn, dialect, clock, log },
    caller: webhooks,
    newUid: randomUUID,
    onConversion: (call) => decisions.onConversion(call),
  });
  customResources.serve(config.extension?.definitions ?? []);
  const metrics = new RequestMetrics({
    release: config.metrics.release,
    disabled: config.metrics.disabled,
    allowedLabels: () => openAllowedLabels(config.metrics, (error) => log.error({ err: error }, labelsProblem)),
    onDeprecated: (name, since) =>
      log.warn(
        { metric: name, since: `1.${since}` },
        `metric ${name} is deprecated since 1.${since} and will be hidden in 1.${since + deprecatedReleases}`,
      ),
  });
  const authorization = createAuthorization({
    authorizers: webhookClients.authorizers,
    metrics: webhookClients.authorizationMetrics,
    policies: config.authorization.policies ?? [],
    resources,
    dialect,
    clock,
  });
  const authentication = createAuthentication({
    config: config.authentication,
    dataDir: config.dataDir,
    ...context,
    log,
    resources,
  });
  const admissionMetrics = new AdmissionMetrics();
  const policyMetrics = new PolicyMetrics();
  const webhookMetrics = new WebhookMetrics();
  const manifestMetrics = new ManifestMetrics();
  const admission = createAdmission({
    config: config.admission,
    settings: deps.plugins,
    gates: config.featureGates,
    ...{ dialect, clock, log, resources, objects, authorization, policyMetrics, manifestMetrics },
    metrics: admissionMetrics,
    onStep: (step, rejected, seconds) => decisions.onAdmission(step, rejected, seconds),
    webhooks: {
      caller: webhooks,
      newUid: randomUUID,
      onCall(report) {
        webhookMetrics.observe(report);
        decisions.onWebhook(report);
      },
      notice: (fields, message) => log.warn(fields, message),
    },
  });
  const deadlines = new Deadlines(clock);
  const knownHeaders = identityHeaders(config.authentication.requestHeader);
  const notice = (fields: object, message: string) => log.warn(fields, message);
  const backendCertificates = new X509Metrics('kube_aggregator');
  const terminations = new TerminationMetrics();
  const aggregation = createAggregation({
    ...{ resources, dialect, clock, own, deadlines, maxBodyBytes, notice },
    config: config.aggregation,
    identityHeaders: knownHeaders,
    identity: () => deps.frontProxy.client,
    onFlaw: backendCertificates.observe,
  });
  const connections = new OpenConnections();
  const inFlight = new InFlight(config.inFlight);
  const filters = new FilterMetrics(authentication.metrics.filterSeconds);
  metrics.include([
    ...authentication.metrics.sources,
    ...webhookClients.authorizationMetrics.sources,
    ...longRunningMetrics(resources, connections),
    ...objectMetrics(resources),
    ...storeMetrics(resources),
    ...watchMetrics(resources),
    ...authentication.tokenMetrics,
    ...filters.sources,
    ...addressMetrics(resources, dialect, config.serviceRanges),
    ...admissionMetrics.sources,
    ...policyMetrics.sources,
    ...manifestMetrics.sources,
    ...webhookMetrics.sources,
    ...webhookCertificates.sources,
    ...backendCertificates.sources,
    terminations.source,
    buildInfo(dialect, config.versions),
    compatibilityInfo(config.versions),
    featureMetrics(dialect, config.gateStates),
    ...customResources.metrics,
  ]);
  const routes = routesOf(config, resources, new ShownApis(resources, aggregation.discovery), metrics, {
    health,
    url: deps.url,
  });
  authentication.addRoutes(routes);
  const handler = createPipeline({
    clock,
    dialect,
    authenticators: authentication.authenticators,
    authenticationObserver: authentication.metrics,
    access: decisions.access(authorization.access),
    authorizationObserver: filters,
    audit: deps.audit,
    interceptor: deps.hooks.interceptor,
    resources,
    routes,
    elsewhere: (exchange) => aggregation.answer(exchange),
    services: {
      dialect,
      clock,
      objects,
      components: () => health.components(),
      deadlines,
      backends: openBackends(config.nodeTrust, own),
      identityHeaders: knownHeaders,
      connections,
      requireAccess: (user, info) => requireAccess(authorization.access, user, info),
      access: authorization.access,
      tokens: authentication.tokens,
      admission: admission.chain,
      notice,
      maxBodyBytes,
      minWatchSeconds: config.minWatchSeconds,
      deleteCollectionWorkers: config.serving.deleteCollectionWorkers,
      nodeAddressTypes: config.serving.nodeAddressTypes,
      chunksLists: config.featureGates.APIListChunking,
      splitsLogs: config.featureGates.PodLogsQuerySplitStreams,
    },
    requestTimeoutMs: config.requestTimeoutMs,
    inFlight,
    corsOrigins: config.serving.corsOrigins,
    headers: config.serving.headers,
    onRequest: (request) => metrics.began(request),
    timing: requestLog,
    onAnswer(exchange, response) {
      const ms = clock.now() - exchange.startedAt;
      metrics.observe(exchange, response, ms / 1000);
      terminations.observe(exchange, response);
      if (requestLog.isOn) requestLog.onAnswer(exchange, response, ms);
    },
    onUnexpected: (exchange, error) => {
      log.error(
        { requestId: exchange.id, verb: exchange.info?.verb, path: exchange.request.path, err: error },
        'request failed unexpectedly',
      );
    },
  });
  return {
    ...{ handler, resources, authorization, authentication, admission, webhooks, metrics, customResources },
    aggregation,
  };
}

function metricsText(body: string): ApiResponse {
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores' };
  return { status: 200, headers, body };
}

/** The name that clients outside use, with the port that the server listens on. */
function externalAddress({ serving: { externalHostname: host } }: ServerConfig, url = ''): string | undefined {
  return host === undefined ? undefined : `${host.includes(':') ? `[${host}]` : host}:${url.split(':').at(-1)}`;
}

function routesOf(
  config: ServerConfig,
  resources: Resources,
  shown: ShownApis,
  metrics: RequestMetrics,
  { health, url }: { readonly health: HealthState; url(): string | undefined },
): Routes {
  const { dialect, log } = config;
  const routes = new Routes();
  let aggregations = 0;
  const counted = () => [{ labels: {}, value: aggregations }];
  const help = 'How often the document of aggregated discovery was made.';
  metrics.include([metric('aggregator_discovery_aggregation_count_total', 'counter', help, counted)]);
  addApiLists(routes, resources, shown, {
    dialect,
    externalAddress: () => externalAddress(config, url()),
    onAggregated: () => aggregations++,
  });
  addOpenApi(routes, resources, shown, dialect);
  addHealth(routes, health.endpoints(), dialect, (text) => log.warn({}, text));
  if (config.serving.changesLogs)
    addDebugFlags(routes, config.levels, (fields) => log.info(fields, 'what is logged was changed'));
  routes.add('/version', (exchange) => answerVersion(exchange, config.versions));
  const checks = healthMetrics(health.endpoints(), dialect);
  routes.add('/metrics', async () => metricsText(await metrics.render()));
  routes.add('/metrics/slis', async () => metricsText(await checks()));
  routes.add('/', () =>
    json(
      { paths: [...new Set([...discoveryPaths(shown), ...routes.paths])].filter((path) => path !== '/').sort() },
      {},
      true,
    ),
  );
  return routes;
}
