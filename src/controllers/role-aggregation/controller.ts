// Keeps the rules of aggregated roles equal to those of the roles they select.

import { isConflict } from '../../client/client.ts';
import { Informer } from '../../client/informer.ts';
import { aggregate, isAggregated } from '../../groups/rbac/v1/aggregation.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { Controller, ControllerOptions } from '../namespace/controller.ts';
import { WorkQueue } from '../work-queue.ts';

/** `path` is that of the collection of cluster roles. */
export function roleAggregationController({ client, clock, onError }: ControllerOptions, path: string): Controller {
  const roles = new Map<string, ApiObject>();
  const queue = new WorkQueue({
    clock,
    async work(name) {
      const role = roles.get(name);
      if (role === undefined || !isAggregated(role)) return 'done';
      const wanted = aggregate(role, roles.values());
      if (wanted === role) return 'done';
      try {
        await client.replace(`${path}/${encodeURIComponent(name)}`, wanted);
      } catch (error) {
        // the newer role is on its way here
        if (!isConflict(error)) throw error;
      }
      return 'done';
    },
    onError: (name, error) => onError({ role: name, err: error }, 'role could not be aggregated'),
  });
  const lookAtAll = () => {
    for (const [name, role] of roles) if (isAggregated(role)) queue.add(name);
  };
  const informer = new Informer({
    client,
    clock,
    path,
    onChange(role) {
      roles.set(role.metadata.name ?? '', role);
      lookAtAll();
    },
    onDelete(role) {
      roles.delete(role.metadata.name ?? '');
      lookAtAll();
    },
    onError: (error) => onError({ err: error }, 'roles could not be followed'),
  });
  return {
    start: () => informer.start(),
    async close() {
      await informer.close();
      await queue.close();
    },
  };
}
