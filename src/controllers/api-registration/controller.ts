// Registers every group-version that the server serves itself as an APIService, once, when it starts.

import { isConflict } from '../../client/client.ts';
import { apiGroup, automanagedLabel, type Dialect } from '../../meta/dialect.ts';
import { formatApiVersion } from '../../meta/group-version.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Controller, ControllerContext } from '../controller.ts';

const registration = 'apiregistration';

/** What a registration says of a group-version: the greater, the earlier clients see it. */
export interface ServedApi {
  readonly group: string;
  readonly version: string;
  readonly priority: { readonly group: number; readonly version: number };
}

/** `served` are the group-versions of the server's own. */
export function apiRegistration(context: ControllerContext, served: readonly ServedApi[]): Controller {
  const { client, dialect, kinds } = context;
  const collection = `/apis/${apiGroup(dialect, registration)}/v1/apiservices`;
  // who keeps the registrations is not among them
  const others = served.filter(({ group }) => group !== apiGroup(dialect, registration));
  const byName = new Map(others.map((gv) => [nameOf(gv), apiServiceOf(gv, dialect)]));
  const queue = context.queue({
    name: 'autoregister',
    async work(name) {
      const object = byName.get(name);
      if (object === undefined || kinds.byPlural(apiGroup(dialect, registration), 'apiservices') === undefined)
        return 'done';
      try {
        await client.create(collection, object);
      } catch (error) {
        // it was there before
        if (!isConflict(error)) throw error;
      }
      return 'done';
    },
  });
  for (const name of byName.keys()) queue.add(name);
  return { close: () => queue.close() };
}

const nameOf = ({ group, version }: ServedApi) => `${version}.${group}`;

function apiServiceOf(groupVersion: ServedApi, dialect: Dialect): ApiObject {
  const { group, version, priority } = groupVersion;
  return {
    kind: 'APIService',
    apiVersion: formatApiVersion({ group: apiGroup(dialect, registration), version: 'v1' }),
    metadata: { name: nameOf(groupVersion), labels: { [automanagedLabel(dialect)]: 'onstart' } },
    spec: {
      ...(group === '' ? {} : { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
}
