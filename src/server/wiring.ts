// Every engine connected: from a store and a configuration to one handler for requests.

import { randomUUID } from 'node:crypto';
import type { PluginSettings } from '../admission/engines.ts';
import type { Auditor } from '../audit/auditor.ts';
import { Deadlines } from '../base/deadlines.ts';
import type { ServerConfig } from '../config/options.ts';
import { servedPart } from '../config/runtime-config.ts';
import { addApiLists, discoveryPaths } from '../discovery/api-lists.ts';
import { addHealth } from '../discovery/health.ts';
import { addOpenApi } from '../discovery/openapi/routes.ts';
import { json, Routes } from '../discovery/routes.ts';
import { answerVersion } from '../discovery/version.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { identityHeaders } from '../handlers/connect/passed-headers.ts';
import { OpenConnections } from '../handlers/long-running.ts';
import type { ApiResponse, Handler } from '../meta/exchange.ts';
import { requireAccess } from '../meta/require-access.ts';
import { buildInfo, healthMetrics } from '../metrics/health-metrics.ts';
import { AdmissionMetrics, longRunningMetrics } from '../metrics/load-metrics.ts';
import { objectMetrics } from '../metrics/object-metrics.ts';
import { RequestMetrics } from '../metrics/request-metrics.ts';
import { InFlight } from '../pipeline/limit.ts';
import { createPipeline } from '../pipeline/pipeline.ts';
import type { ClientTrust } from '../pki/client-trust.ts';
import { objectAccess } from '../registry/object-access.ts';
import { Resources } from '../registry/resources.ts';
import type { Store } from '../storage/store.ts';
import { openBackends } from '../transport/http/backends.ts';
import { createAdmission } from './admission.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import { type Authorization, createAuthorization } from './authorization.ts';
import type { HealthState } from './health-state.ts';
import type { Outbound } from './outbound.ts';
import { type OwnPresence, ownServers } from './own-presence.ts';

/** Larger bodies are refused; kube-apiserver has the same limit. */
const maxBodyBytes = 3 * 1024 * 1024;

export interface Wired {
  readonly handler: Handler;
  readonly resources: Resources;
  readonly authorization: Authorization;
  readonly authentication: Authentication;
  readonly metrics: RequestMetrics;
}

/** What only the server knows: whose certificates it believes, whom it asks, and where it listens. */
export interface WiringDeps {
  readonly trust: ClientTrust;
  readonly outbound: Outbound;
  url(): string | undefined;
  readonly audit: Auditor | undefined;
  readonly presence: OwnPresence;
  /** How admission plugins are set up. */
  readonly plugins: PluginSettings;
}

export function wire(config: ServerConfig, store: Store, health: HealthState, deps: WiringDeps): Wired {
  const { clock, dialect, log } = config;
  const { outbound } = deps;
  const context = { clock, dialect, ...deps };
  const resources = new Resources({
    store,
    clock,
    dialect,
    refusesPrivileged: !config.allowPrivileged,
    newUid: randomUUID,
    objects: () => objects,
    expirySeconds: config.eventTtlSeconds,
    onUnreadable: (key, why) => log.error({ key, why }, 'a stored object cannot be read and is left out'),
  });
  const objects = objectAccess(resources);
  for (const groupVersion of builtInGroups(dialect)) {
    resources.registerReadable(groupVersion);
    const served = servedPart(groupVersion, config.runtimeConfig);
    if (served !== undefined) resources.serve(served);
  }
  const metrics = new RequestMetrics({
    release: config.metricsOf,
    onDeprecated: (name, since) => log.warn({ metric: name, since: `1.${since}` }, 'a metric that will go is shown'),
  });
  const authorization = createAuthorization({
    authorizers: outbound.authorizers,
    metrics: outbound.authorizationMetrics,
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
  const connections = new OpenConnections();
  const inFlight = new InFlight(config.inFlight);
  metrics.include([
    ...authentication.metrics.sources,
    ...outbound.authorizationMetrics.sources,
    ...longRunningMetrics(resources, connections),
    ...objectMetrics(resources),
    admissionMetrics.source,
    buildInfo(dialect),
  ]);
  const routes = routesOf(config, resources, metrics, health);
  authentication.addRoutes(routes);
  const handler = createPipeline({
    clock,
    dialect,
    authenticators: authentication.authenticators,
    authenticationObserver: authentication.metrics,
    access: authorization.access,
    audit: deps.audit,
    resources,
    routes,
    services: {
      dialect,
      clock,
      objects,
      components: () => health.components(),
      deadlines: new Deadlines(clock),
      backends: openBackends(config.nodeTrust, ownServers(deps.presence, objects, dialect)),
      identityHeaders: identityHeaders(config.authentication.requestHeader),
      connections,
      requireAccess: (user, info) => requireAccess(authorization.access, user, info),
      access: authorization.access,
      tokens: authentication.tokens,
      admission: createAdmission({
        config: config.admission,
        settings: deps.plugins,
        gates: config.featureGates,
        dialect,
        clock,
        resources,
        objects,
        authorization,
        metrics: admissionMetrics,
      }),
      notice: (fields, message) => log.warn(fields, message),
      maxBodyBytes,
      minWatchSeconds: config.minWatchSeconds,
      chunksLists: config.featureGates.APIListChunking,
      splitsLogs: config.featureGates.PodLogsQuerySplitStreams,
    },
    requestTimeoutMs: config.requestTimeoutMs,
    inFlight,
    onRequest: (request) => metrics.began(request),
    onAnswer: (exchange, response) => metrics.observe(exchange, response, (clock.now() - exchange.startedAt) / 1000),
    onUnexpected: (exchange, error) => {
      log.error(
        { requestId: exchange.id, verb: exchange.info?.verb, path: exchange.request.path, err: error },
        'request failed unexpectedly',
      );
    },
  });
  return { handler, resources, authorization, authentication, metrics };
}

function metricsText(body: string): ApiResponse {
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores' };
  return { status: 200, headers, body };
}

function routesOf(config: ServerConfig, resources: Resources, metrics: RequestMetrics, health: HealthState): Routes {
  const { dialect, log } = config;
  const routes = new Routes();
  addApiLists(routes, resources, dialect);
  addOpenApi(routes, resources, dialect);
  addHealth(routes, health.endpoints(), dialect, (text) => log.warn({}, text));
  routes.add('/version', answerVersion);
  const checks = healthMetrics(health.endpoints(), dialect);
  routes.add('/metrics', async () => metricsText(await metrics.render()));
  routes.add('/metrics/slis', async () => metricsText(await checks()));
  routes.add('/', () =>
    json({
      paths: [...new Set([...discoveryPaths(resources), ...routes.paths])].filter((path) => path !== '/').sort(),
    }),
  );
  return routes;
}
