// Keeps the flow schemas and priority levels that every cluster has: a deleted one comes back, one of an older release
// that no administrator has touched goes.

import { isConflict, isNotFound } from '../../client/client.ts';
import { flowControlManager, flowControlObjects, isMadeByServer } from '../../groups/flowcontrol/v1/bootstrap.ts';
import { apiGroup } from '../../meta/dialect.ts';
import type { ControllerFactory } from '../controller.ts';
import { metadataOf, only } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

export const standardFlowControl: ControllerFactory = ({ client, dialect, feed, queue: makeQueue }) => {
  const group = apiGroup(dialect, 'flowcontrol.apiserver');
  const standard = new Map(
    flowControlObjects(dialect).map(({ resource, object }) => [`${resource}/${object.metadata.name}`, object]),
  );

  async function work(key: string): Promise<WorkOutcome> {
    const [resource = '', name = ''] = key.split('/');
    const collection = `/apis/${group}/v1/${resource}`;
    const path = `${collection}/${encodeURIComponent(name)}`;
    const object = standard.get(key);
    try {
      if (object === undefined) await client.delete(path);
      else if ((await client.find(path)) === undefined)
        await client.create(`${collection}?fieldManager=${flowControlManager}`, object);
    } catch (error) {
      // another replica was faster
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
    return 'done';
  }
  const queue = makeQueue({ name: 'standard_flow_control', work });

  feed.subscribe({
    wants: only(group, 'flowschemas', 'prioritylevelconfigurations'),
    onChange({ resource: { plural }, name, json }) {
      const key = `${plural}/${name}`;
      if (json === undefined ? standard.has(key) : !standard.has(key) && isMadeByServer(metadataOf(json), dialect))
        queue.add(key);
    },
  });
  return { close: () => queue.close() };
};
