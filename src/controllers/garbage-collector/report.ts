// Tells about owners that cannot be: an event on the object that names one.

import { generateName } from '../../meta/names.ts';
import type { ApiObject } from '../../meta/object.ts';
import { formatTime } from '../../meta/time.ts';
import type { ControllerContext } from '../controller.ts';
import type { Owner } from './graph.ts';

const component = 'garbage-collector-controller';

export async function reportInvalidOwner({ client, clock }: ControllerContext, path: string, owner: Owner) {
  const dependent = await client.find<ApiObject>(path);
  if (dependent === undefined) return;
  const { namespace = '', name = '', uid } = dependent.metadata;
  const { kind, apiVersion } = dependent;
  const identity = `[${owner.apiVersion}/${owner.kind}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}]`;
  const now = clock.now();
  const time = formatTime(now);
  const where = namespace === '' ? 'default' : namespace;
  await client.create(`/api/v1/namespaces/${where}/events`, {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: generateName(`${name}.${now.toString(16)}`), namespace: where },
    involvedObject: { kind, apiVersion, name, uid, ...(namespace === '' ? {} : { namespace }) },
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`,
    source: { component },
    reportingComponent: component,
    ...{ firstTimestamp: time, lastTimestamp: time, count: 1 },
  });
}
