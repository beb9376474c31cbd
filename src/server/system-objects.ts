// Objects that every cluster starts with, created when they are missing: the priorities of system pods, and how
// requests share the server.

import { type Client, isConflict, isNotFound } from '../client/client.ts';
import { flowControlObjects } from '../groups/flowcontrol/v1/bootstrap.ts';
import { systemPriorityClasses } from '../groups/scheduling/v1/priority-class.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';

export async function createSystemObjects(client: Client, dialect: Dialect): Promise<void> {
  await Promise.all([...priorityClasses(dialect), ...flowControl(dialect)].map((one) => ensure(client, one)));
}

interface Wanted {
  readonly collection: string;
  readonly object: ApiObject;
}

function priorityClasses(dialect: Dialect): readonly Wanted[] {
  const apiVersion = `${apiGroup(dialect, 'scheduling')}/v1`;
  return systemPriorityClasses.map(({ name, value, description }) => ({
    collection: `/apis/${apiVersion}/priorityclasses`,
    object: { kind: 'PriorityClass', apiVersion, metadata: { name }, value, description },
  }));
}

function flowControl(dialect: Dialect): readonly Wanted[] {
  return flowControlObjects(dialect).map(({ resource, object }) => ({
    collection: `/apis/${object.apiVersion}/${resource}`,
    object,
  }));
}

async function ensure(client: Client, { collection, object }: Wanted): Promise<void> {
  try {
    await client.get(`${collection}/${object.metadata.name}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await create(client, { collection, object });
  }
}

async function create(client: Client, { collection, object }: Wanted): Promise<void> {
  try {
    await client.create(collection, object);
  } catch (error) {
    // another replica was faster, or the group is not served here
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
