// The end of the way: API resources go to their verb, everything else to a route.

import type { Routes } from '../discovery/routes.ts';
import { dispatch } from '../handlers/dispatch.ts';
import type { Services } from '../handlers/services.ts';
import type { Resources } from '../registry/resources.ts';
import type { Stage } from './stage.ts';

export interface Served {
  readonly resources: Resources;
  readonly routes: Routes;
  readonly services: Services;
}

export function serve({ resources, routes, services }: Served): Stage {
  return function serve(exchange) {
    const { info } = exchange;
    const isApi = info.isResource && (info.group === '' || resources.hasGroup(info.group));
    return isApi ? dispatch(exchange, resources, services) : routes.answer(exchange);
  };
}
