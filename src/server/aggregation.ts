// Aggregated APIs: the APIServices that are stored, followed on every server, and the way to the servers that they name.

import { setMaxListeners } from 'node:events';
import { ApiServices, type RemoteEntry } from '../aggregation/api-services.ts';
import { probe } from '../aggregation/probe.ts';
import { type ProxyDeps, proxied, unavailable } from '../aggregation/proxy.ts';
import type { BackendDeps } from '../aggregation/remote-backend.ts';
import { RemoteDiscovery } from '../aggregation/remote-discovery.ts';
import { atClusterIp, atEndpoints } from '../aggregation/service-location.ts';
import type { AggregationConfig } from '../config/aggregation-options.ts';
import type { APIService } from '../groups/apiregistration/v1/api-service.ts';
import type { OwnServers } from '../meta/backend.ts';
import { apiGroup, automanagedLabel, componentName, type Dialect } from '../meta/dialect.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import { ObjectLookup } from '../registry/object-lookup.ts';
import type { Resources } from '../registry/resources.ts';
import { ResourceFollower } from './resource-follower.ts';

interface AggregationParts extends Omit<ProxyDeps, 'rejectsRedirects'> {
  readonly config: AggregationConfig;
  readonly resources: Resources;
  readonly dialect: Dialect;
  readonly own: OwnServers;
  identity: BackendDeps['identity'];
  onFlaw: BackendDeps['onFlaw'];
}

export interface Aggregation {
  /** Answers requests for what other servers serve; undefined for all others. */
  answer(exchange: Exchange): Promise<ApiResponse> | undefined;
  /** Asks the server of an APIService whether it is there; throws why not. */
  probe(object: APIService): Promise<void>;
  /** What other servers say that they serve. */
  readonly discovery: RemoteDiscovery;
  /** Resolves when every APIService that is stored is followed. */
  start(): Promise<void>;
  /** Asks other servers nothing more for this server's own use. */
  stop(): void;
  close(): Promise<void>;
}

export function createAggregation(parts: AggregationParts): Aggregation {
  const { config, resources, dialect, clock, own } = parts;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const ownGroup = apiGroup(dialect, 'apiregistration');
  const objects = new ObjectLookup(resources);
  const locate = config.routesToEndpoints ? atEndpoints(objects, dialect) : atClusterIp(objects);
  const isMadeAtStart = ({ metadata }: APIService) => metadata.labels?.[automanagedLabel(dialect)] === 'onstart';
  const identity = () => parts.identity();
  const user = { name: `system:${componentName(dialect, 'aggregator')}`, groups: ['system:masters'] };
  const services = new ApiServices({ locate, own, user, ownGroup, isMadeAtStart, identity, onFlaw: parts.onFlaw });
  const discovery = new RemoteDiscovery({ services, clock, dialect, stop: stop.signal });
  const registry = resources.find(ownGroup, 'v1', 'apiservices')?.registry;
  const follower = registry && new ResourceFollower(registry, clock, services);
  const deps: ProxyDeps = { ...parts, rejectsRedirects: config.rejectsRedirects };
  return {
    answer(exchange) {
      const entry = services.isEmpty ? undefined : entryFor(services, exchange.info);
      if (entry === undefined) return undefined;
      const isAboutTypes = exchange.info.path.startsWith(openApiRoot);
      if (isAboutTypes && discovery.find(entry.api)?.convertedOpenApi !== undefined) return undefined;
      return entry.isAvailable ? proxied(exchange, entry.backend, deps) : Promise.resolve(unavailable(exchange));
    },
    async probe({ metadata }) {
      const entry = services.named(metadata.name ?? '');
      if (entry !== undefined) await probe(entry.api, entry.backend, stop.signal);
    },
    discovery,
    start: async () => follower?.start(),
    stop: () => stop.abort(new Error('the server is stopping')),
    async close() {
      follower?.close();
      await discovery.close();
      services.close();
    },
  };
}

/** Of paths that are no resources, those of a group-version itself and of its types lead to its server too. */
function entryFor(services: ApiServices, info: RequestInfo): RemoteEntry | undefined {
  if (info.isResource) return services.find(info.group, info.version);
  const parts = info.path.split('/').filter(Boolean);
  const [root, group = '', version = '', ...rest] = isOpenApi(parts) ? parts.slice(2) : parts;
  if (root === 'api') return services.find('', 'v1');
  return root === 'apis' && rest.length === 0 ? services.find(group, version) : undefined;
}

const isOpenApi = ([first, second, root]: readonly string[]) =>
  first === 'openapi' && second === 'v3' && (root === 'apis' || root === 'api');

const openApiRoot = '/openapi/';
