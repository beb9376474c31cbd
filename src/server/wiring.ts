// Every engine connected: from a store and a configuration to one handler for requests.

import { randomUUID } from 'node:crypto';
import { AdmissionChain } from '../admission/chain.ts';
import { grantedRights } from '../admission/granted-rights.ts';
import { type NamespaceLookup, namespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import type { AdmissionPlugin } from '../admission/plugin.ts';
import { type ReadingEngines, requiredReadings } from '../admission/required-readings.ts';
import { storageInUseProtection } from '../admission/storage-in-use-protection.ts';
import type { Auditor } from '../audit/auditor.ts';
import { Deadlines } from '../base/deadlines.ts';
import { andThen } from '../base/maybe-promise.ts';
import { addApiLists, discoveryPaths } from '../discovery/api-lists.ts';
import { addHealth } from '../discovery/health.ts';
import { addOpenApi } from '../discovery/openapi/routes.ts';
import { json, Routes } from '../discovery/routes.ts';
import { answerVersion } from '../discovery/version.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { openBackends } from '../http/backends.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { Handler } from '../meta/exchange.ts';
import { demand } from '../pipeline/authorize.ts';
import { createPipeline } from '../pipeline/pipeline.ts';
import { objectAccess } from '../registry/object-access.ts';
import { Resources } from '../registry/resources.ts';
import type { ObjectAccess } from '../schema/resource.ts';
import type { Store } from '../storage/store.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import { type Authorization, createAuthorization } from './authorization.ts';
import type { ClientTrust } from './client-trust.ts';
import type { HealthState } from './health-state.ts';
import type { ServerConfig } from './options.ts';
import type { Outbound } from './outbound.ts';
import { RequestMetrics } from './request-metrics.ts';
import { servedPart } from './runtime-config.ts';

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
export interface Surroundings {
  readonly trust: ClientTrust;
  readonly outbound: Outbound;
  url(): string | undefined;
  readonly audit: Auditor | undefined;
}

export function wire(config: ServerConfig, store: Store, health: HealthState, surroundings: Surroundings): Wired {
  const { clock, dialect, log } = config;
  const { outbound } = surroundings;
  const context = { clock, dialect, ...surroundings };
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
    resources.know(groupVersion);
    const served = servedPart(groupVersion, config.runtimeConfig);
    if (served !== undefined) resources.install(served);
  }
  const metrics = new RequestMetrics();
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
  metrics.include([...authentication.metrics.sources, ...outbound.authorizationMetrics.sources]);
  const routes = routesOf(config, resources, metrics, health);
  authentication.addRoutes(routes);
  const handler = createPipeline({
    clock,
    dialect,
    authenticators: authentication.authenticators,
    authenticationObserver: authentication.metrics,
    access: authorization.access,
    audit: surroundings.audit,
    resources,
    routes,
    services: {
      dialect,
      clock,
      objects,
      components: () => health.components(),
      deadlines: new Deadlines(clock),
      backends: openBackends(config.nodeTrust),
      demand: (user, info) => demand(authorization.access, user, info),
      access: authorization.access,
      tokens: authentication.tokens,
      admission: new AdmissionChain(pluginsOf(dialect, resources, objects, authorization)),
      maxBodyBytes,
      minWatchSeconds: config.minWatchSeconds,
      chunksLists: config.featureGates.APIListChunking,
    },
    requestTimeoutMs: config.requestTimeoutMs,
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

function pluginsOf(
  dialect: Dialect,
  resources: Resources,
  objects: ObjectAccess,
  { access, checkGrant }: Authorization,
): readonly AdmissionPlugin[] {
  const lifecycle = namespaceLifecycle(dialect, namespaceLookup(resources));
  const readings = requiredReadings({ dialect, access, objects, resourceOf: resourceLookup(resources) });
  const always = [lifecycle, storageInUseProtection({ dialect }), readings];
  return checkGrant === undefined ? always : [...always, grantedRights(checkGrant)];
}

function resourceLookup(resources: Resources): ReadingEngines['resourceOf'] {
  return (group, version, kind) => {
    const served = resources.groupVersions.find((one) => one.group === group && one.version === version);
    return served?.resources.find((one) => one.kind === kind)?.plural;
  };
}

function namespaceLookup(resources: Resources): NamespaceLookup {
  return (name) => {
    const registry = resources.find('', 'v1', 'namespaces')?.registry;
    if (registry === undefined) return undefined;
    return andThen(registry.fresh({ mode: 'latest' }), () => {
      const found = registry.cache.get(registry.key({ namespace: '', name }));
      return found && (found.field('status.phase') === 'Terminating' ? 'terminating' : 'active');
    });
  };
}

function routesOf(config: ServerConfig, resources: Resources, metrics: RequestMetrics, health: HealthState): Routes {
  const { dialect, log } = config;
  const routes = new Routes();
  addApiLists(routes, resources, dialect);
  addOpenApi(routes, resources, dialect);
  addHealth(routes, health.endpoints(), dialect, (text) => log.warn({}, text));
  routes.add('/version', answerVersion);
  routes.add('/metrics', async () => ({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores' },
    body: await metrics.render(),
  }));
  routes.add('/', () =>
    json({
      paths: [...new Set([...discoveryPaths(resources), ...routes.paths])].filter((path) => path !== '/').sort(),
    }),
  );
  return routes;
}
