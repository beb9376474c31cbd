// Every engine connected: from a store and a configuration to one handler for requests.

import { randomUUID } from 'node:crypto';
import { AdmissionChain } from '../admission/chain.ts';
import { type NamespaceLookup, namespaceLifecycle } from '../admission/namespace-lifecycle.ts';
import { anonymousOn, clientCertificate, inProcess, refuseUnrecognised } from '../authn/authenticator.ts';
import { alwaysAllow } from '../authz/authorizer.ts';
import { andThen } from '../base/maybe-promise.ts';
import { addApiLists, discoveryPaths } from '../discovery/api-lists.ts';
import { addHealth } from '../discovery/health.ts';
import { addOpenApi } from '../discovery/openapi/routes.ts';
import { json, Routes } from '../discovery/routes.ts';
import { versionInfo } from '../discovery/version.ts';
import { builtInGroups } from '../groups/catalog.ts';
import { openBackends } from '../http/backends.ts';
import type { Handler } from '../meta/exchange.ts';
import { demand } from '../pipeline/authorize.ts';
import { createPipeline } from '../pipeline/pipeline.ts';
import { objectAccess } from '../registry/object-access.ts';
import { Resources } from '../registry/resources.ts';
import type { Store } from '../storage/store.ts';
import type { HealthState } from './health-state.ts';
import type { ServerConfig } from './options.ts';
import { RequestMetrics } from './request-metrics.ts';
import { servedPart } from './runtime-config.ts';

/** Larger bodies are refused; kube-apiserver has the same limit. */
const maxBodyBytes = 3 * 1024 * 1024;

export interface Wired {
  readonly handler: Handler;
  readonly resources: Resources;
}

export function wire(config: ServerConfig, store: Store, health: HealthState): Wired {
  const { clock, dialect, log } = config;
  const resources = new Resources({
    store,
    clock,
    dialect,
    refusesPrivileged: !config.allowPrivileged,
    newUid: randomUUID,
  });
  for (const groupVersion of builtInGroups(dialect)) {
    resources.know(groupVersion);
    const served = servedPart(groupVersion, config.runtimeConfig);
    if (served !== undefined) resources.install(served);
  }
  const metrics = new RequestMetrics();
  const authorizers = [alwaysAllow];
  const handler = createPipeline({
    clock,
    // while everybody who is known may do everything, the unknown may see health and version only
    authenticators: [
      inProcess,
      clientCertificate,
      refuseUnrecognised,
      anonymousOn(['/healthz', '/livez', '/readyz', '/version']),
    ],
    authorizers,
    audit: undefined,
    resources,
    routes: routesOf(config, resources, metrics, health),
    services: {
      dialect,
      clock,
      objects: objectAccess(resources),
      backends: openBackends(config.nodeTrust),
      demand: (user, info) => demand(authorizers, { user, info }),
      admission: new AdmissionChain([namespaceLifecycle(dialect, namespaceLookup(resources))]),
      maxBodyBytes,
      minWatchSeconds: config.minWatchSeconds,
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
  return { handler, resources };
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
  routes.add('/version', () => json(versionInfo()));
  routes.add('/metrics', async () => ({
    status: 200,
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    body: await metrics.render(),
  }));
  routes.add('/', () =>
    json({
      paths: [...new Set([...discoveryPaths(resources), ...routes.paths])].filter((path) => path !== '/').sort(),
    }),
  );
  return routes;
}
