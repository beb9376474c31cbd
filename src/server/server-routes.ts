// Paths that are no resources: discovery, OpenAPI, health, metrics, version.

import type { LogSettings } from '../base/log-levels.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { compressed } from '../codec/compression.ts';
import type { ServerConfig } from '../config/options.ts';
import { shownConfiguration } from '../config/shown-configuration.ts';
import { addApiLists, discoveryPaths } from '../discovery/api-lists.ts';
import { addComponentPages } from '../discovery/component-pages.ts';
import { addConfigurationPage } from '../discovery/configuration-page.ts';
import { addDebugFlags } from '../discovery/debug-flags.ts';
import { addHealth } from '../discovery/health.ts';
import { PreparedDocuments } from '../discovery/openapi/prepared.ts';
import { addOpenApi } from '../discovery/openapi/routes.ts';
import { addProfiling } from '../discovery/profiling/routes.ts';
import { json, Routes } from '../discovery/routes.ts';
import type { ShownApis } from '../discovery/shown-apis.ts';
import { answerVersion } from '../discovery/version.ts';
import { kubernetes } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import { healthMetrics } from '../metrics/health-metrics.ts';
import { plainMetric } from '../metrics/metric-source.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { Resources } from '../registry/resources.ts';
import type { HealthState } from './health-state.ts';
import type { MetricPage } from './threads/serving-role.ts';

const startedAt = String(Math.floor(performance.timeOrigin / 1000));

function metricsText({ request }: Exchange, body: string): MaybePromise<ApiResponse> {
  const headers = {
    'content-type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
    'process-start-time-unix': startedAt,
  };
  // metrics are fetched over and over, and get much smaller by it
  return compressed(request, { status: 200, headers, body }, { from: 0, headers: {} });
}

/** The name that clients outside use, with the port that the server listens on. */
function externalAddress({ serving: { externalHostname: host } }: ServerConfig, url = ''): string | undefined {
  return host === undefined ? undefined : `${host.includes(':') ? `[${host}]` : host}:${url.split(':').at(-1)}`;
}

interface RouteParts {
  readonly health: HealthState;
  readonly page: MetricPage;
  url(): string | undefined;
  /** A client has changed what is logged. */
  onLogChange(settings: LogSettings): void;
}

export function routesOf(
  config: ServerConfig,
  resources: Resources,
  shown: ShownApis,
  metrics: RequestMetrics,
  { health, url, page, onLogChange }: RouteParts,
): Routes {
  const { dialect, log } = config;
  const routes = new Routes();
  let aggregations = 0;
  metrics.include([plainMetric('aggregator_discovery_aggregation_count_total', () => aggregations)]);
  addApiLists(routes, resources, shown, {
    dialect,
    externalAddress: () => externalAddress(config, url()),
    onAggregated: () => aggregations++,
  });
  const hasBuiltIn = config.extension === undefined && dialect === kubernetes;
  addOpenApi(routes, resources, shown, dialect, hasBuiltIn ? new PreparedDocuments() : undefined);
  addHealth(routes, health.endpoints(), dialect, (text) => log.warn({}, text));
  if (config.serving.hasDebugPages) {
    addDebugFlags(routes, config.levels, (fields) => {
      log.info(fields, 'what is logged was changed');
      onLogChange(config.levels.settings);
    });
    addProfiling(routes, config.clock);
    addConfigurationPage(routes, dialect, () => shownConfiguration(config));
  }
  routes.addDocument('/version', (exchange) => answerVersion(exchange, config.versions));
  const checks = healthMetrics(health.endpoints(), dialect);
  routes.add('/metrics', async (exchange) => {
    if (exchange.request.method !== 'DELETE') return metricsText(exchange, await page.render());
    await page.reset();
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'metrics reset\n' };
  });
  routes.add('/metrics/slis', async (exchange) => metricsText(exchange, await checks()));
  const paths = () => listedPaths(routes, shown);
  addComponentPages(routes, {
    ...{ dialect, clock: config.clock, versions: config.versions, paths },
    flags: config.commandLine,
    shows: { status: config.featureGates.ComponentStatusz, flags: config.featureGates.ComponentFlagz },
  });
  const index = () => json({ paths: paths() }, {}, true);
  routes.add('/', index).addUnlisted('/index.html', index);
  return routes;
}

function listedPaths(routes: Routes, shown: ShownApis): readonly string[] {
  return [...new Set([...discoveryPaths(shown), ...routes.paths])].filter((path) => path !== '/').sort();
}
