// The end of the way: API resources go to their verb, everything else to a route.

import type { Routes } from '../discovery/routes.ts';
import { dispatch } from '../handlers/dispatch.ts';
import type { Services } from '../handlers/services.ts';
import type { ApiResponse, Exchange } from '../meta/exchange.ts';
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
    const isApi = info.isResource && (info.group === '' || resources.hasGroup(info.group));
    return isApi ? dispatch(exchange, resources, services) : routes.answer(exchange);
  };
}
