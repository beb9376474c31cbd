// The end of the way: API resources go to their verb, everything else to a route.

import type { Routes } from '../discovery/routes.ts';
import { dispatch } from '../handlers/dispatch.ts';
import type { Services } from '../handlers/services.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
import type { RequestInfo } from '../meta/request-info.ts';
import type { Resources } from '../registry/resources.ts';
import type { Stage } from './stage.ts';

export interface Served {
  readonly resources: Resources;
  readonly routes: Routes;
  readonly services: Services;
  /** Answers requests for what other servers serve; undefined for all others. */
  readonly elsewhere?: ((exchange: Exchange) => Promise<ApiResponse> | undefined) | undefined;
}

export function serve({ resources, routes, services, elsewhere }: Served): Stage {
  return function serve(exchange) {
    const { info } = exchange;
    const relayed = elsewhere?.(exchange);
    if (relayed !== undefined) return relayed;
    return isServedHere(info, resources) ? dispatch(exchange, resources, services) : routes.answer(exchange);
  };
}

/** A path that begins with two slashes has rights of its own, and leads nowhere. */
function isServedHere({ isResource, apiPrefix, group, path }: RequestInfo, resources: Resources): boolean {
  if (!isResource || path.startsWith('//')) return false;
  return apiPrefix === 'api' || (group !== '' && resources.hasGroup(group));
}
